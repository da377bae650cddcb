"""`python -m mmafft info`: the versions, and what transforms run on."""

import argparse
import platform

import numpy

from . import __version__, _core, _others


def main():
    parser = argparse.ArgumentParser(prog="python -m mmafft", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("info", help="the versions, and what transforms run on")
    parser.parse_args()
    print(f"mmafft {__version__}")
    print(f"Python {platform.python_version()}, NumPy {numpy.__version__}")
    print(f"cpu: {_core.device()}")
    try:
        _others.find_compiler()
        print(f"cuda: {_core.device_name('cuda', 0)}")
    except RuntimeError as error:
        print(f"cuda: {error}")


if __name__ == "__main__":
    main()
