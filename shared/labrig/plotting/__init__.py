"""Pictures: heavy libraries draw them in a child process, in one style.

- `drawing`: the server's half and the child's half; data as JSON in, a PNG out
- `style`: the page, colours, axes and texts of every picture
- `images`: whether a file of anybody is a picture that can be shown
- `checks`: what a picture is made of, read from JSON values with refusals that name the place
"""
