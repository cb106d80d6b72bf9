"""Wikipedia that can be walked: pages as outline, typed infobox, bounded slices and links, from stores or live.

From an address to what is shown of a page:

- `identity`: an address or a title is one page
- `page`: what a page is; `views`: outline, slices, links, tables, places of words; `marking`: as Markdown;
  `grids`: tables with their spans resolved; `as_html`: as HTML
- `values`: what an infobox says, of `dates`, `numbers` and `coordinates`

Where pages come from:

- `stores`: what each source of pages can do; `sqlite_store`: a store in a file; `store_file`: how that is written;
  `folding`: titles without case and accents
- `live`: Wikipedia as it is now; `web_pages`: pages that are no pages of a wiki
- `bundled`: the wiki of a world of ours, made of `article_pages`

How a store is built (`python -m labrig_atlas.wiki build`):

- `building`: page after page, whole or not at all; `raw`: what every source
  gives; `sources`: folders; `dump`: dumps of a MediaWiki; `zim`: ZIM files
- `wikitext`: what a dump has, as HTML; `wikitext_tree`: templates and links; `wikitext_templates`: those with a rule;
  `wikitext_lines`: lists, tables, paragraphs

How a page comes of HTML:

- `decoding`: bytes become text; `walking`: what a reader sees of a tree; `wording`: its words with links and styles
- `html_pages`: HTML becomes a page; `infoboxes`, `tables`: its parts
- `about`: what is known besides; `inside`: what a child does with it; `apart`: asking that child
"""
