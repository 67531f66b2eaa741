"""The web process: the pages over HTTP. It stores bytes, and never imports, unpacks or runs what teams send."""
