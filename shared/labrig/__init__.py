"""What every Labrig server is built from. Imports no server and no client.

The contracts, which every server keeps:

- `answer`: what a tool gives back; `toolbox`: tools, declared; `errors`: what is refused, and how that is said
- `workspace`, `artifacts`, `jobs`: files of a session, files with a handle, long work; `turns`: slots, shared fairly;
  `threads`: work in threads, in turns; `progress`: how far a call or a job is
- `calls`: the record of a call; `former_names`: what tools were called before; `canonical`: one form of JSON, and
  hashes; `redaction`: keys left out
- `commands`: how a command of ours is typed here; `media_types`: what a file's name stands for;
  `folding`: text without accents; `toml_text`: TOML of others
- `config`: settings, and where things are kept; `server_settings`: those that a toolbox declares

The rooms:

- `storage`: what the store of artifacts is made of
- `serving`: what turns a toolbox into a server; `tools`: what tools of any server share
- `isolation`: programs and children under limits; `sandbox`: code of agents; `sideenv`: what lives beside the main
  environment
- `tables`, `plotting`: tables described, pictures drawn; `http`: the network, politely, recorded, replayed
"""

__version__ = "0.2.0"
