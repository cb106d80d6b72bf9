"""Tables beside layers: joined by a key, and columns added up or averaged, with weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labrig.answer import Quantity
from labrig.errors import LabrigError, unknown_name
from labrig_earth.gis.features import Features, table_of
from labrig_earth.gis.measuring import measures
from labrig_earth.results import Result


def join(
    features: Features, table: Any, name: str, key: str, other_key: str = "", *, sums: Sequence[str] = ()
) -> tuple[Result, Any]:
    """Return a layer with the columns of a table whose key is the same.

    Parameters
    ----------
    table
        `pandas.DataFrame`, called `name` in messages.
    key, other_key
        Columns of the layer and of the table (by default of the same name). Keys of which one is text are compared as
        text: "001" is not 1.
    sums
        Columns to add up over what was joined: those of the layer once for each feature, those of the table once for
        each of its rows, however often these are joined.

    Returns
    -------
    Result, geopandas.GeoDataFrame
        A feature stands once for each row of its key, and once with nothing where the table has none.
    """
    frame = features.frame
    other_key = other_key or key
    for column, columns, where in ((key, frame.columns, "key"), (other_key, table.columns, "other_key")):
        if column not in columns:
            raise unknown_name("column", column, [str(each) for each in columns], where=where)
    left, right, as_text = _keys(frame[key], table[other_key])
    first = frame.assign(_key=left, _feature=range(len(frame)))
    others = {each: f"{each}_2" for each in table.columns if each in frame.columns and each != other_key}
    second = table.rename(columns=others).assign(_key=right, _row=range(len(table)))
    second = second.drop(columns=other_key if other_key == key else [])
    joined = first.merge(second[second["_key"].notna()], on="_key", how="left")
    met = joined["_row"].notna()
    alone = frame.shape[0] - joined.loc[met, "_feature"].nunique()
    unused = len(table) - joined["_row"].nunique()
    warnings = [
        *features.warnings,
        *_doubts(frame[key], table[other_key], left, right, alone, unused, name, features.name),
    ]
    totals = [_total(joined, met, each, first, others) for each in sums]
    once = joined[~joined["_feature"].duplicated()]
    values, doubts = measures(once.drop(columns=["_key", "_feature", "_row"]))
    result = Result(
        method=f"{name} joined to {features.name} by {key} = {other_key}"
        + (", compared as text" if as_text else "")
        + "; measured once for each feature",
        values=(
            Quantity("features", len(frame), "1"),
            Quantity("features with rows", len(frame) - alone, "1", f"of {name}"),
            Quantity("rows joined", int(met.sum()), "1", f"of {len(table)}"),
            *totals,
            *values,
        ),
        assumed=tuple(features.assumed),
        warnings=(*warnings, *doubts),
        crs=features.crs_text,
        source=f"{features.name}, {name}",
    )
    found = joined.drop(columns=["_key", "_feature", "_row"])
    return Result(**{**vars(result), "data": {"rows": table_of(found)}}), found


def _keys(left: Any, right: Any) -> tuple[Any, Any, bool]:
    """Return two columns of keys that can be compared, and whether as text."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(left) and pd.api.types.is_numeric_dtype(right):
        return left, right, False
    return _text(left), _text(right), True


def _text(keys: Any) -> Any:
    import pandas as pd

    if pd.api.types.is_float_dtype(keys) and (keys.dropna() % 1 == 0).all():
        keys = keys.astype("Int64")  # whole numbers with a gap among them are floats
    return keys.astype("string").str.strip()


def _doubts(
    left_given: Any, right_given: Any, left: Any, right: Any, alone: int, unused: int, name: str, layer: str
) -> list[str]:
    """Return what is doubtful about a join: keys that repeat, that meet nothing, that lost zeros."""
    said = []
    for keys, where in ((left, layer), (right, name)):
        again = keys[keys.notna() & keys.duplicated(keep=False)]
        if len(again):
            shown = ", ".join(map(str, again.unique()[:3]))
            said.append(
                f"{again.nunique()} keys repeat in {where} ({shown}{', ..' if again.nunique() > 3 else ''}): their "
                "rows stand several times in the result, and sums over it count them as often"
            )
    if alone or unused:
        said.append(f"{alone} features meet no row of {name}, {unused} rows of {name} meet no feature")
    if alone and str(left_given.dtype) != str(right_given.dtype):
        stripped = set(left.dropna().astype(str).str.lstrip("0"))
        lost = stripped & set(right.dropna().astype(str).str.lstrip("0")) - (
            set(left.dropna()) & set(right.dropna())
        )
        if lost:
            said.append(
                f"{len(lost)} keys would meet but for zeros before them ({min(lost)}): one side has lost its leading "
                "zeros; restore them as text"
            )
    return said


def _total(joined: Any, met: Any, column: str, first: Any, others: dict[str, str]) -> Quantity:
    """Return the sum of a column over what was joined, each feature or row counted once."""
    if column not in joined.columns:
        raise unknown_name(
            "column", column, [str(each) for each in joined.columns if each[0] != "_"], where="sums"
        )
    own = column in first.columns
    part = joined[met]
    part = part[~part["_feature" if own else "_row"].duplicated()]
    return Quantity(
        f"{column} sum",
        _number(_numeric(part[column]).sum()),
        "",
        "each feature once" if own else "each row once",
    )


def summarise(table: Any, name: str, columns: Sequence[str], *, weight: str = "", by: str = "") -> Result:
    """Return number, sum, mean, least and greatest of columns of a table, and means that a column weights.

    Parameters
    ----------
    weight
        Column of the weights: of rates what they are rates of (people, area).
    by
        Column of whose values each makes a group; by default all are one.
    """
    for column in (*columns, *filter(None, (weight, by))):
        if column not in table.columns:
            raise unknown_name(
                "column", column, [str(each) for each in table.columns], where="columns, weight, by"
            )
    if not columns:
        raise LabrigError(
            "Which columns?", where="columns", expected="names", try_=", ".join(map(str, table.columns[:20]))
        )
    values, rows, warnings = [], [], []
    for label, group in table.groupby(by) if by else [("", table)]:
        for column in columns:
            found = _summary(group, column, weight)
            rows.append({**({by: label} if by else {}), "column": column, **found})
            note = str(label)
            values += [Quantity(f"{column} {key}", number, "", note) for key, number in found.items()]
    if missing := int(table[list(columns)].isna().sum().sum()):
        warnings.append(f"{missing} values are missing and were left out")
    if not weight and (rates := [each for each in columns if _is_rate(str(each))]):
        warnings.append(
            f"{', '.join(rates)}: a mean of rates without weights is none of the whole; weight=COLUMN is what they are "
            "rates of, such as people or area"
        )
    return Result(
        method="over the rows of the table" + (f"; weighted by {weight}" if weight else ""),
        values=tuple(values) if len(values) <= 24 else (Quantity("groups", len(rows) // len(columns), "1"),),
        data={"rows": rows[:50]},
        warnings=tuple(warnings),
        source=name,
    )


def _summary(group: Any, column: str, weight: str) -> dict[str, Any]:
    values = _numeric(group[column])
    found = {
        "count": int(values.notna().sum()),
        "sum": _number(values.sum()),
        "mean": _number(values.mean()),
        "min": _number(values.min()),
        "max": _number(values.max()),
    }
    if weight:
        weights = _numeric(group[weight]).where(values.notna())
        total = weights.sum()
        found["weighted mean"] = _number((values * weights).sum() / total) if total else None
    return found


def _numeric(column: Any) -> Any:
    import pandas as pd

    numbers = pd.to_numeric(column, errors="coerce")
    if (numbers.isna() & column.notna()).any():
        bad = column[numbers.isna() & column.notna()].iloc[0]
        raise LabrigError(f"{bad!r} is no number", where=str(column.name), expected="a column of numbers")
    return numbers


def _number(value: Any) -> float | None:
    return float(f"{value:.10g}") if value == value else None


def _is_rate(name: str) -> bool:
    return any(
        word in name.casefold()
        for word in ("rate", "pct", "percent", "share", "ratio", "density", "per_", "%")
    )
