"""Which data there are, and where: files here, a static STAC catalogue, STAC services, rasters and Zarr stores by URL.

- `entries`: what a catalogue says of one data set
- `scanning`: entries of files and folders, by looking into them
- `searching`: entries by box, time, variable and words
- `static`: a static STAC catalogue on disk, written and read by pystac, which reads nothing outside its folder
- `stac_service`: STAC services, asked through `labrig.http`
- `overpass`: OpenStreetMap by the Overpass service, asked through `labrig.http`
- `open_meteo`: air quality at a point, by Open-Meteo
- `mswep`: MSWEP's precipitation, in a shared folder of Google Drive
- `unpacking`: NetCDF files out of the archive that a store sends
- `data_stores`: Copernicus' Climate and Atmosphere Data Stores: requests that become jobs, and their files
- `era5`: what is asked of them for ERA5
- `earth_engine`: what Google Earth Engine would need; it is not asked
- `language_model`: the operator's model, for pictures and pages
- `places`: places by their names, by Nominatim; `web_search`: Serper
- `remote`: part of a raster, a scene or a Zarr store on the network, as a file here
- `fetching`: the module of the children that do so
- `archives`: archives that are known and not connected, and what stands in their way
- `operations`: these as tools name them
"""
