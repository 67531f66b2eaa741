from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.site.cup import play_cup

from tiltyard_site.publication import SiteData, publish


@pytest.fixture(scope="session")
def cup() -> SiteData:
    return play_cup(("acorn", "bramble", "coyote"), ("narrow-pass", "open-field"), "Test Cup", workers=1)


@pytest.fixture(scope="session")
def site(cup: SiteData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    publish(cup, folder)
    return folder


def settle(page: Any) -> None:
    """Wait for what the browser does in its own time before it shows a frame: sizes of boards, events of opened parts."""
    page.evaluate("new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))")


# The page itself looks again and again: each question from here would cost more than what it waits for.
WAIT = """(milliseconds) => new Promise((tell) => {
  const end = performance.now() + milliseconds;
  const look = () => {
    if (EXPECTED) tell(true);
    else if (performance.now() > end) tell(false);
    else setTimeout(look, 20);
  };
  look();
})"""


def wait_until(page: Any, expected: str | Callable[[], object], seconds: float = 60.0) -> None:
    """Until an expression of the page is true, or a function here; playwright's own waiting needs eval, which the pages forbid."""
    end = time.monotonic() + seconds
    while not (expected() if callable(expected) else _came(page, expected, end - time.monotonic())):
        assert time.monotonic() < end, f"never came: {expected}"
        page.wait_for_timeout(50)


def _came(page: Any, expected: str, seconds: float) -> bool:
    """Whether the expression got true; not if the page went elsewhere meanwhile."""
    from playwright.sync_api import Error

    try:
        return bool(page.evaluate(WAIT.replace("EXPECTED", expected), seconds * 1000))
    except Error as error:
        if "context was destroyed" not in str(error):
            raise
        return False


WINDOW = {"width": 1280, "height": 800}
# Without motion: a game would play by itself.
MEDIA = {"color_scheme": "light", "reduced_motion": "reduce"}
CHANGEABLE = ("viewport", *MEDIA)
"""What a page can be given at any time, unlike its other options."""


class Visit:
    """A page that remembers what went wrong and where it asked.

    To make a page and its context costs more than to load one, so a test gets one that an earlier test has left.
    """

    def __init__(self, browser: Any, **fixed: Any) -> None:
        self.base = ""
        self.context = browser.new_context(**fixed)
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.can_be_left = True
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("requestfailed", self._lose)

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def _lose(self, request: Any) -> None:
        # A page that is left while its icon is on the way gives it up.
        if "ERR_ABORTED" not in str(request.failure):
            self.problems.append(f"failed: {request.url}: {request.failure}")

    def begin(self, base: str, viewport: Mapping[str, int] = WINDOW, **media: str) -> None:
        """Look at the pages below an address with a window of this size."""
        self.base, self.problems, self.requests = base, [], []
        if self.page.viewport_size != viewport:
            self.page.set_viewport_size(viewport)
        self.page.emulate_media(**{**MEDIA, **media})

    def before_scripts(self, script: str) -> None:
        """Run a script before those of each page. It can't be taken back, so this page is for no other test."""
        self.page.add_init_script(script)
        self.can_be_left = False

    def open(self, path: str) -> Any:
        # Another part after "#" alone would not load the page anew.
        if self.page.url.partition("#")[0] == (self.base + path).partition("#")[0]:
            self.page.goto("about:blank")
        self.page.goto(self.base + path)
        return self.page

    def match(self, asked: str) -> Any:
        page = self.open(f"match.html#{asked}")
        page.wait_for_selector("#match:not(.loading)")
        settle(page)
        return page

    def end(self) -> None:
        """Nothing may have gone wrong, and nothing may have been asked for elsewhere."""
        from playwright.sync_api import Error

        try:
            self._leave()
        except Error:
            # It was still on its way somewhere.
            self.can_be_left = False
        assert self.problems == []
        own = [self.base, "data:", "blob:", "about:"]
        assert [url for url in self.requests if not any(url.startswith(start) for start in own)] == []

    def _leave(self) -> None:
        """Go to an empty page, and leave nothing of this visit to the next one."""
        if self.page.url.startswith(("file:", "http:")):
            self.page.evaluate("{ localStorage.clear(); sessionStorage.clear(); }")
            self.page.goto("about:blank")
        if self.base.startswith("http:"):
            self.context.clear_cookies()
            self.context.new_cdp_session(self.page).send("Network.clearBrowserCache")
        # Whatever the pointer stands on looks otherwise.
        self.page.mouse.move(-1, -1)


@pytest.fixture(scope="session")
def left_visits() -> dict[str, list[Visit]]:
    """Those that a later test goes on with, by the options that a page has for ever."""
    return {}


@pytest.fixture
def visit(browser: Any, left_visits: dict[str, list[Visit]]) -> Iterator[Callable[..., Visit]]:
    visits: list[tuple[Visit, list[Visit]]] = []

    def begin(folder: Path | str, **options: Any) -> Visit:
        base = folder if isinstance(folder, str) else f"{folder.as_uri()}/"
        fixed = {name: options.pop(name) for name in sorted(options) if name not in CHANGEABLE}
        left = left_visits.setdefault(repr(fixed), [])
        one = left.pop() if left else Visit(browser, **fixed)
        visits.append((one, left))
        one.begin(base, **options)
        return one

    yield begin
    with ExitStack() as ends:
        for one, left in visits:
            ends.callback(_end, one, left)


def _end(visit: Visit, left: list[Visit]) -> None:
    """Leave it to a later test if nothing is wrong with it."""
    try:
        visit.end()
    except BaseException:
        visit.context.close()
        raise
    if visit.can_be_left:
        left.append(visit)
    else:
        visit.context.close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the base class calls it so
        pass


class _Server(ThreadingHTTPServer):
    request_queue_size = 64


@pytest.fixture
def served(site: Path) -> Iterator[str]:
    server = _Server(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()
