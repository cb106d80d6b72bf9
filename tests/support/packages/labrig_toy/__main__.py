"""The toy as a program."""

import sys

from labrig.serving.serve import main
from labrig_toy import toolbox

if __name__ == "__main__":
    sys.exit(main(toolbox))
