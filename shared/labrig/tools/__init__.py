"""What tools of any server share.

- `files`, `jobs`: the tools write_file, read_file, list_file, and get_job, cancel_job
- `code`: what run_python_code of every server shares
- `lines`: lines of a text as tools count them, and the cut of a long text
- `sources`: what a call names, a path in the workspace or a handle, open for reading
- `outlines`: how a long text of an engine is delivered: toc, outline, raw:N, auto
- `large`: lines of a file that is not read whole
- `reading`: text files, whole or by their first and last lines, whatever their encoding
- `own_files`: what a tool writes beside its answer, without replacing what is somebody else's
- `cursor`: long lists in pages
"""
