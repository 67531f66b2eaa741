"""Pairing everybody at the least total cost: minimum weight perfect matching in a complete graph, exactly.

Edmonds' blossom algorithm (Edmonds 1965, "Maximum matching and a polyhedron with 0,1-vertices") in its primal-dual form, as
Cook and Rohe describe it ("Computing minimum-weight perfect matchings", 1999): every node of the graph, and every odd set that
was shrunk into one ("blossom"), has a charge; an edge is tight when the charges of all nodes between its ends add up to its
weight; a perfect matching of tight edges is one of least weight. Charges are integers here, so nothing is ever rounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from operator import sub
from typing import Final, TypeAlias

from tiltyard_engine.data_classes import dataclass, field

NEAR: Final = 24
"""How many of a vertex's edges are looked at, as long as no other can matter."""
Edge: TypeAlias = tuple[int, int]
"""Two vertices: the one inside the node that the edge is named from, then the one outside."""


def least_weight_pairs(weights: Sequence[Sequence[int]]) -> list[Edge]:
    """Pairs ``(smaller, larger)`` that hold every vertex once and whose weights have the least sum; equal weights, equal answer.

    ``weights[a][b]`` for a < b is what pairing a with b costs, an integer of any size and sign; the number of vertices is even.
    """
    return _Search(weights).pairs()


@dataclass(eq=False, slots=True, kw_only=True)
class _Node:
    """A vertex, or a blossom: an odd number of nodes in a ring of tight edges."""

    vertices: list[int]
    ring: list[_Node] = field(default_factory=list)
    links: list[Edge] = field(default_factory=list)
    """``links[i]``: the edge from ``ring[i]`` to the next node of the ring."""
    charge: int = 0
    mate: Edge | None = None
    """The edge of the matching that leaves the node. Of nodes in a ring it is only found when the ring is opened."""
    outer: bool | None = None
    """In the forest: an even number of edges from its root, or an odd one. None: not in the forest."""
    up: Edge | None = None
    """The edge to the node's parent in the forest."""


class _Search:
    """One run of the algorithm. ``surface`` are the nodes that are in no ring; only theirs are matched and charged again."""

    def __init__(self, weights: Sequence[Sequence[int]]) -> None:
        size = len(weights)
        # Twice a charge step must divide every slack between outer nodes: with multiples of 4 all charges stay whole.
        self.weight = [[4 * weights[min(a, b)][max(a, b)] if a != b else 0 for b in range(size)] for a in range(size)]
        self.surface = [_Node(vertices=[vertex]) for vertex in range(size)]
        self.above = list(self.surface)
        """The surface node of each vertex."""
        self.total = [0] * size
        """The sum of the charges of all nodes that hold a vertex."""
        self.raised = 0
        """How much more any total may be than at the start."""
        self.near: list[list[int] | None] = [None] * size
        """For each vertex the others, in order, to which there is little slack; None: not known."""
        self.beyond = [0] * size
        """The edges from a vertex to all others, outside its node, have more slack than this minus its total and ``raised``."""
        self.tight: list[list[int] | None] = [None] * size
        """For each vertex the others, in order, to which there is no slack; None: not known since charges have changed."""
        if size > 1:
            least = min(self.weight[a][b] for a in range(size) for b in range(size) if a != b)
            for node in self.surface:
                self._charge(node, least // 2)

    def pairs(self) -> list[Edge]:
        while any(node.mate is None for node in self.surface):
            self._open_uncharged()
            self._plant()
            if not self._grow():
                self._recharge()
        while any(node.ring for node in self.surface):
            for node in [node for node in self.surface if node.ring]:
                self._open(node)
        edges = [node.mate for node in self.surface if node.mate is not None]
        return sorted(edge for edge in edges if edge[0] < edge[1])

    def _slack(self, a: int, b: int) -> int:
        """What the charges between two vertices in different surface nodes leave of their edge's weight."""
        return self.weight[a][b] - self.total[a] - self.total[b]

    def _look(self, a: int) -> list[int]:
        """Find the vertices near to one again."""
        slacks: list[float] = list(map(sub, self.weight[a], self.total))
        # What is in the same node comes into question only when that is opened.
        own = self.above[a].vertices
        for b in own:
            slacks[b] = inf
        others = len(slacks) - len(own)
        limit = int(sorted(slacks)[min(NEAR, others) - 1]) if others else 0
        near = self.near[a] = [b for b, slack in enumerate(slacks) if slack <= limit]
        self.beyond[a] = limit + self.raised
        return near

    def _least_beyond(self, a: int) -> int:
        """The slack to all that are not near is more than this."""
        return self.beyond[a] - self.total[a] - self.raised

    def _tight_edges(self, a: int) -> list[int]:
        """Others to which a vertex has no slack, in order. Some may be in its own node."""
        tight = self.tight[a]
        if tight is None:
            near = self.near[a]
            if near is None or self._least_beyond(a) < 0:
                near = self._look(a)
            row, total, own = self.weight[a], self.total, self.total[a]
            tight = self.tight[a] = [b for b in near if row[b] - total[b] == own]
        return tight

    def _charge(self, node: _Node, more: int) -> None:
        node.charge += more
        for vertex in node.vertices:
            self.total[vertex] += more

    def _plant(self) -> None:
        """A new forest: its roots are the unmatched nodes."""
        for node in self.surface:
            node.outer, node.up = (True if node.mate is None else None), None

    def _grow(self) -> bool:
        """Let the forest grow along tight edges until two trees touch, which makes the matching larger, or none is left."""
        waiting = [node for node in self.surface if node.outer]
        while waiting:
            node = waiting.pop()
            if self.above[node.vertices[0]] is not node:
                continue  # it was shrunk meanwhile, and what it is in waits too
            for a in node.vertices:
                for b in self._tight_edges(a):
                    other = self.above[b]
                    if other is node or other.outer is False:
                        continue
                    if other.outer is None:
                        waiting.append(self._take(other, (b, a)))
                    elif self._root(node) is not self._root(other):
                        self._augment((a, b))
                        return True
                    else:
                        waiting.append(self._shrink((a, b)))
                        break
                if self.above[a] is not node:
                    break
        return False

    def _take(self, node: _Node, edge: Edge) -> _Node:
        """Bring a matched node and its mate into the forest; the mate, which is outer."""
        node.outer, node.up = False, edge
        assert node.mate is not None
        inside, outside = node.mate
        mate = self.above[outside]
        mate.outer, mate.up = True, (outside, inside)
        return mate

    def _parent(self, node: _Node) -> _Node | None:
        return None if node.up is None else self.above[node.up[1]]

    def _path(self, node: _Node) -> list[_Node]:
        """From a node to its root, both included."""
        path = [node]
        while (parent := self._parent(path[-1])) is not None:
            path.append(parent)
        return path

    def _root(self, node: _Node) -> _Node:
        return self._path(node)[-1]

    def _augment(self, edge: Edge) -> None:
        """Match along a tight edge between two trees, and change over on the ways to both roots."""
        for inside, outside in (edge, edge[::-1]):
            node: _Node | None = self.above[inside]
            match: Edge = (inside, outside)
            while node is not None:
                node.mate = match
                inner = self._parent(node)
                if inner is None:
                    break
                assert inner.up is not None
                inner.mate = inner.up
                match = (inner.up[1], inner.up[0])
                node = self._parent(inner)

    def _shrink(self, edge: Edge) -> _Node:
        """Make a blossom of the ring that a tight edge closes in a tree: it is outer."""
        left, right = self._path(self.above[edge[0]]), self._path(self.above[edge[1]])
        while len(left) > 1 and len(right) > 1 and left[-2] is right[-2]:
            left.pop()
            right.pop()
        base = left[-1]
        ring = [*reversed(left), *right[:-1]]
        links: list[Edge] = []
        for node in reversed(left[:-1]):
            assert node.up is not None
            links.append((node.up[1], node.up[0]))
        links.append(edge)
        for node in right[:-1]:
            assert node.up is not None
            links.append(node.up)
        blossom = _Node(
            vertices=[vertex for node in ring for vertex in node.vertices],
            ring=ring,
            links=links,
            charge=0,
            mate=base.mate,
            outer=True,
            up=base.up,
        )
        for vertex in blossom.vertices:
            self.above[vertex] = blossom
        self.surface = [node for node in self.surface if node not in ring]
        self.surface.append(blossom)
        return blossom

    def _open(self, blossom: _Node) -> None:
        """Bring a ring back to the surface: the node that the blossom's mate leads into keeps it, neighbours match in pairs."""
        ring, links = blossom.ring, blossom.links
        for node in ring:
            for vertex in node.vertices:
                self.above[vertex] = node
                self.near[vertex] = self.tight[vertex] = None
        start = 0
        if blossom.mate is not None:
            start = ring.index(self.above[blossom.mate[0]])
        ring[start].mate = blossom.mate
        for step in range(1, len(ring), 2):
            place = (start + step) % len(ring)
            inside, outside = links[place]
            ring[place].mate = (inside, outside)
            ring[(place + 1) % len(ring)].mate = (outside, inside)
        self.surface = [node for node in self.surface if node is not blossom] + ring

    def _open_uncharged(self) -> None:
        """Blossoms without a charge hold nothing together any more."""
        while blossoms := [node for node in self.surface if node.ring and node.charge == 0]:
            for node in blossoms:
                self._open(node)

    def _recharge(self) -> None:
        """Charge outer nodes and discharge inner ones until an edge becomes tight or an inner blossom has no charge left."""
        outer = [node for node in self.surface if node.outer]
        steps = [node.charge for node in self.surface if node.outer is False and node.ring]
        for node in outer:
            for a in node.vertices:
                steps += self._steps(node, a, self.near[a] or self._look(a))
        least = min(steps, default=None)
        for node in outer:
            for a in node.vertices:
                # What is not near may matter sooner: look again, and at all of it if that is not enough.
                for find in (self._look, lambda a: range(len(self.above))):
                    if least is None or (self._least_beyond(a) + 1) // 2 < least:
                        further_steps = self._steps(node, a, find(a))
                        least = min(further_steps if least is None else [*further_steps, least], default=None)
        assert least is not None
        step = least
        self.raised += step
        self.tight = [None] * len(self.tight)
        for node in self.surface:
            if node.outer is not None:
                self._charge(node, step if node.outer else -step)

    def _steps(self, node: _Node, a: int, others: Iterable[int]) -> list[int]:
        """How much the vertex of an outer node may be charged before its edges to some others become tight."""
        slacks: list[int] = []
        row, above, total, own = self.weight[a], self.above, self.total, self.total[a]
        for b in others:
            other = above[b]
            if other.outer is None:
                slacks.append(row[b] - own - total[b])
            elif other.outer and other is not node:
                slacks.append((row[b] - own - total[b]) // 2)
        return slacks
