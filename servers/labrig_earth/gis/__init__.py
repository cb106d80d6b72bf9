"""Points, lines and polygons: asked for, laid over each other, measured, and routes on streets. Without MCP.

- `features`: layers from any vector format or OSM, checked and mended; results as GeoPackage
- `osm`: OSM XML and PBF by pyosmium, closed ways once
- `osm_order`: OSM files in another order (as Overpass answers), put in order
- `areas`: a box, a polygon or a circle, as published sub-tools give them
- `collections`: features as GeoJSON: tallied by group, distances between points, targets in zones
- `boxes`: bounding boxes and polygons across the antimeridian
- `querying`: features by attributes, box, region or another layer
- `measuring`: distance, length and area on the ellipsoid, buffers in metres, nearest features
- `shaping`: features dissolved, hulls, points of features, Voronoi cells, polygons of corners
- `joining`: tables joined by a key; sums and weighted means of columns
- `overlaying`: intersection, union, difference; what a hazard touches
- `routing`: the quickest or shortest way on streets, with closures, and what can be reached in a time
- `operations`: these as tools name them
"""
