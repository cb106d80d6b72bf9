"""The bundled world: its tables and articles, and the one database that is made of them.

- `data`, `articles`: what there is, as CSV and TOML; `sources`: where it comes from, and the hash of it
- `tables`: rows of the tables; `landmarks`: what articles say about places
- `gazetteer`: what `labrig setup atlas-gazetteer` adds
- `names`: names as they are compared; `cells`: how points are found; `noise`: numbers by address
- `landmask`: land and sea
- `roads`: made-up roads between real cities
- `building`: the database; `database`: made on first use, and opened
- `twin`: a fictional world of a seed; `renaming`, `syllables`: its names; `shifting`: its figures
"""
