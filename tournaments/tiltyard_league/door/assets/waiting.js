// A version that waits for its check: the page is shown again when there is news.
"use strict";
setTimeout(() => location.reload(), 2000);
