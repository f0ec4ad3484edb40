"""The world the end-to-end tests live in: a network, a file system and servers of their own, and Belljar started in it.

A test file imports `main` and `WorldTest` from here and nothing else of the package.
"""

from .case import WorldTest, main

__all__ = ["WorldTest", "main"]
