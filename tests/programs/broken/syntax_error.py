def algorithms(:
