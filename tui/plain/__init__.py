"""A class in lines, for screen readers, dumb terminals and pipes: every step as text, commands as words.

Nothing moves the cursor, nothing is coloured. It is a screen of the class like any other: audiences follow
it, the host runs its demos.
"""
