"""The fields of the extraction that the paper asks for (its appendix F), and their types."""

from __future__ import annotations

PROPERTY_FIELDS: dict[str, type] = {
    "id": str, "material_or_system": str, "sample_label": str, "property_name": str, "category": str,
    "value_string": str,
    "value_unit": str, "qualifier": str, "value_detail": str, "conditions": dict, "method": str, "model_or_fit": str,
    "location": dict, "notes": str,
}  # fmt: skip
REQUIRED = ("property_name", "value_string", "location")
CONDITIONS = (
    "temperature", "pressure", "field", "frequency", "orientation", "environment", "sample_state", "other_conditions",
)  # fmt: skip
LOCATION = ("page", "section", "figure_or_table", "source_type", "evidence")
SOURCES = ("text", "figure", "caption", "table")
MOST_PROPERTIES = 2_000
MOST_TEXT = 5_000
"""Characters of one field."""
