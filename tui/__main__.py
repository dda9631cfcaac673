"""`python -m tui`: the command `teachrun`, where its script is not on the path."""

import sys

from teachrun import main

sys.exit(main())
