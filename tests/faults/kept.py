"""Points that once went wrong: scenario, kind, which file, what happens; and which call of those, all if None.

Of allocations it is the number. What was seen is on the right.
"""

KEPT = [
    ("build", "open", "*.giga-*.tmp", "EMFILE", 0),                # 73
    ("build", "open", "d.csv", "EMFILE", 0),                       # 66
    ("build", "open", "d.csv", "EIO", 0),                          # 66
    ("build", "map", "*d.csv", "ENOMEM", 0),                       # 74
    ("build", "sync", "*", "EINTR", None),                         # not survived
    ("build", "rename", "* -> *coreset.csv", "EIO", 0),             # coreset.json was left alone
    ("build", "alloc", "", "ENOMEM", 2203),                        # aborted, in CLI11
    ("build", "alloc", "", "ENOMEM+", 735),                        # aborted, telling of it
    ("build --force", "rename", "* -> *coreset.csv", "EIO", 0),     # an old coreset.csv with a new companion
    ("build --force", "rename", "* -> *coreset.csv", "EACCES", 0),  # 74
    ("fit", "mkdir", "*result/partial", "ENOSPC", 0),               # not named
    ("fit", "stat", "*result/partial", "EIO", None),                # left behind
    ("fit", "unlink", "*partial/*", "EIO", None),                  # left behind
    ("fit, refused", "stat", "*result", "EIO", None),               # an old run was replaced
    ("sample --force", "rename", "* -> *result/draws_2.csv", "EIO", 0),   # some old, some new
    ("sample --force", "rename", "*result/draws_3.csv -> *", "EIO", 0),   # a chain of the old run among the new ones
    ("sample --force", "sync", "*/result", "EIO", None),           # some old, some new
    ("reproduce", "open", "*.giga-lock", "EINTR", 0),              # not survived
    ("reproduce", "open", "*.giga-lock", "EMFILE", 0),             # 73
]
