from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from tests.plugins.filler.recorded import recorded_file

from tiltyard_filler.conformance import differences
from tiltyard_filler.dialects import PlateauPieces
from tiltyard_filler.pieces import COOKED, MODULUS, ZERO_SEED, PieceGenerator, bounded, int31

WORDS = 607
STEPS = 7_800_000_000_000
MASK = (1 << 64) - 1
LANE = 18
"""Bytes of a coefficient in a product: two words and a sum of 607."""


def reduce(polynomial: list[int]) -> list[int]:
    """Modulo x^607 = 1 + x^334, which is what the generator's recurrence u[n] = u[n-607] + u[n-273] says."""
    for degree in range(len(polynomial) - 1, WORDS - 1, -1):
        polynomial[degree - WORDS] = (polynomial[degree - WORDS] + polynomial[degree]) & MASK
        polynomial[degree - WORDS + 334] = (polynomial[degree - WORDS + 334] + polynomial[degree]) & MASK
    return polynomial[:WORDS]


def square(polynomial: list[int]) -> list[int]:
    number = int.from_bytes(b"".join(each.to_bytes(LANE, "little") for each in polynomial), "little")
    data = (number * number).to_bytes(2 * WORDS * LANE, "little")
    return reduce([int.from_bytes(data[at : at + LANE], "little") & MASK for at in range(0, len(data), LANE)])


def power_of_x(exponent: int) -> list[int]:
    result = [1] + [0] * (WORDS - 1)
    for bit in bin(exponent)[2:]:
        result = square(result)
        if bit == "1":
            result = reduce([0, *result])
    return result


def test_the_constants_are_what_they_are_defined_as() -> None:
    """Go's table is the state of the same generator, seeded with 1, after 7.8e12 steps; they can be jumped over."""
    x, words = 1, []
    for _ in range(20):
        x = 48271 * x % MODULUS
    for _ in range(WORDS):
        parts = []
        for _ in range(3):
            x = 48271 * x % MODULUS
            parts.append(x)
        words.append(parts[0] << 20 ^ parts[1] << 10 ^ parts[2])
    oldest_first = [words[(333 - step) % WORDS] for step in range(WORDS)]
    last = next(step for step in range(STEPS - WORDS, STEPS) if (333 - step) % WORDS == 333)
    for word, constant in COOKED.items():
        step = last + (333 - word) % WORDS
        step -= WORDS if step >= STEPS else 0
        factors = power_of_x(step + WORDS)
        assert sum(a * b for a, b in zip(factors, oldest_first, strict=True)) & MASK == constant


def test_recorded_pieces() -> None:
    path = recorded_file("pieces.json")
    records = json.loads(path.read_text())
    assert len(records) == 15
    assert [differences(record, path.parent) for record in records] == [[]] * len(records)


def test_seeds_are_taken_as_go_takes_them() -> None:
    assert int31(0, 0) == int31(MODULUS, 0) == int31(ZERO_SEED, 0)
    assert int31(-5, 0) == int31(MODULUS - 5, 0)


def test_a_number_that_would_favour_small_ones_is_drawn_again() -> None:
    """Bounds as small as a board's hardly ever do that; with this one half of the numbers do."""
    count = (1 << 30) + 1
    most = 1 << 30
    draws = {0: 0, 1: 0, 2: 0}
    for seed in range(60):
        outputs = [int31(seed, place) for place in range(3)]
        place = next((place for place, bits in enumerate(outputs) if bits <= most), 2)
        draws[place] += 1
        assert bounded(seed, count) == outputs[place] % count
    assert all(draws.values())


def test_seeds_go_round_at_their_end() -> None:
    last = PieceGenerator((1 << 63) - 1, 99, 100)
    last.draw()
    after = PieceGenerator(-(1 << 63), 99, 100)
    assert after.draw().cells.count(b"O") >= 2
    assert last.draw().cells.count(b"O") >= 2


@given(st.integers(-(1 << 63), (1 << 63) - 1), st.integers(0, 130), st.integers(0, 130))
def test_every_piece_keeps_to_the_measures(seed: int, width: int, height: int) -> None:
    generator = PieceGenerator(seed, width, height)
    for _ in range(3):
        piece = generator.draw()
        assert len(piece.cells) == piece.width * piece.height
        assert 1 <= piece.width <= max(1, width // 5)
        assert 1 <= piece.height <= max(2, height // 5)
        assert 2 <= piece.cells.count(b"O") <= 12


@given(st.integers(0, 1 << 40), st.integers(1, 60), st.integers(1, 60))
def test_pieces_of_42_have_two_cells_at_least(seed: int, width: int, height: int) -> None:
    drawn = [PlateauPieces(seed, width, height).draw() for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert drawn[0].cells.count(b"O") >= 2
    assert len(drawn[0].cells) == drawn[0].width * drawn[0].height
