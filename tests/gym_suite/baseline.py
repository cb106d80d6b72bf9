"""What a program of 150 lines and no model gets: a question is read by regular expressions, the rest is pandas and SciPy.

The templates of the clean tier it knows whole. Of a hard repository it does what a sensible script would: it finds the
quantity in the list of columns, drops the usual codes for missing, joins the lists by their keys, and applies the
conditions whose words it finds.
"""

import io
import itertools
import json
import re

import pandas as pd
from scipy import stats

NO = "not possible"
NUMBER = r"-?\d+(?:\.\d+)?"
WORDS = {
    "most frequent": "mode",
    "smallest": "min",
    "largest": "max",
    "median": "median",
    "sample standard": "std",
}
WORDS |= {
    "population standard": "std0",
    "sample variance": "var",
    "population variance": "var0",
    "chi-square": "chi",
}
WORDS |= {"Pearson": "pearson", "Spearman": "spearman", "Kruskal": "kruskal", "analysis of variance": "anova"}
WORDS |= {"number of": "count", "how often": "count", "count of": "count", "mean": "mean", "higher": "mean"}
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
ABSTRACT, TITLE = r"^## Abstract\n\n(.+)$", r"^# (.+)$"
README = {(1, 1): "title and abstract", (1, 0): "title only", (0, 1): "abstract only", (0, 0): "neither"}
TESTS = {
    "anova": stats.f_oneway,
    "kruskal": stats.kruskal,
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
}


class Baseline:
    def __init__(self, paths, read):
        self.paths, self.read = list(paths), read
        self.readme = read("README.md").decode() if "README.md" in self.paths else ""
        self.data = [each for each in self.paths if each != "README.md"]

    def answer(self, question):
        question = question.partition("to the tools.")[2].strip()
        try:
            found = self.hard(question) if "meta/columns.csv" in self.paths else self.clean(question)
        except Exception:  # whatever it cannot do, it takes for impossible
            return NO
        return NO if found is None or found != found else str(found)

    def clean(self, question):
        title, abstract = (re.search(each, self.readme, re.M) for each in (TITLE, ABSTRACT))
        if "Choose one of" in question:
            return README[bool(title), bool(abstract)] if self.readme else "no README"
        if "as stated in the README" in question:
            return (title if "the title" in question else abstract)[1]
        if "file extension" in question:
            return self.data[0].rpartition(".")[2]
        if "begins with" in question:
            return sum(each.startswith(re.search('"(.*)"', question)[1]) for each in self.paths)
        named = re.search(r'[Tt]he file "([^"]+)"', question) or re.search(r'file "([^"]+)"', question)
        where, _, ask = re.split(r"(, what is |, can you )", question + ", what is ", maxsplit=1)
        files, _, rows_where = where.partition(", using only rows where ")
        chosen = [named[1]] if named else self.by_paths(self.conditions(files))
        if "How many data files" in question:
            return len(chosen)
        rows = pd.concat([self.table(each) for each in chosen], ignore_index=True)
        if "How many rows" in question:
            return len(rows)
        for name, test, _ in self.conditions(rows_where):
            rows = rows[rows[name].map(test).astype(bool)]
        names = re.findall(r'"([^"]*)"', ask)
        kind = next(value for word, value in WORDS.items() if word in ask)
        if "null hyp" not in ask:
            return self.statistic(kind, [rows[each] for each in names])
        level = float(re.search(r"level of (\S+):", ask)[1])
        pairs = [names[:2], names[2:4]]
        return ", ".join(
            "yes" if self.statistic(kind, [rows[a], rows[b]], p=True) < level else "no" for a, b in pairs
        )

    def conditions(self, text):
        for name, what in re.findall(r'"([^"]+)" is (.+?)(?=(?:, | and )"[^"]+" is |$|\?)', text):
            values = re.findall(r'"([^"]*)"', what)
            low, high = [*map(float, re.findall(NUMBER, "" if values else what)), 0.0, 0.0][:2]
            tests = {"between": lambda x, low=low, high=high: low <= float(x) <= high}
            tests |= {"above": lambda x, low=low: float(x) > low, "more": lambda x, low=low: float(x) >= low}
            tests |= {"below": lambda x, low=low: float(x) < low, "less": lambda x, low=low: float(x) <= low}
            tests |= {"": lambda x, values=values: any(str(x) == each or is_same(each, x) for each in values)}
            yield name, next(test for word, test in tests.items() if word in what.partition('"')[0]), values

    def by_paths(self, conditions):
        scheme = re.search(r"Files are named `(.+?)`", self.readme)
        kept = self.data
        for name, _, values in conditions:
            level = (
                [n for n, part in enumerate(scheme[1].split("/")) if f"{{{name}}}" in part][0]
                if scheme
                else None
            )
            forms = "|".join(re.escape(form) for each in values for form in written(each, name))
            found = re.compile(rf"(?:^|[/_\-=])(?:{forms})(?:$|[/_\-.])")
            parts = {path: path if level is None else path.split("/")[level] for path in self.data}
            if not any(map(found.search, parts.values())):
                raise KeyError(name)
            kept = [path for path in kept if found.search(parts[path])]
        return kept

    def table(self, path):
        content, kind = self.read(path), path.rpartition(".")[2]
        if kind == "xlsx":
            return pd.read_excel(io.BytesIO(content), engine="calamine", dtype=object, keep_default_na=False)
        if kind.startswith("json"):
            text = content.decode()
            return pd.DataFrame(
                json.loads(text) if kind == "json" else map(json.loads, text.splitlines()), dtype=object
            )
        mark = ";" if b";" in content[:200] and b"meta" not in path.encode() else ","
        return pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False, comment="#", sep=mark)

    def statistic(self, kind, columns, p=False):
        first = columns[0]
        if kind in ("mode", "count"):
            return first.mode()[0] if kind == "mode" else len(first)
        if kind == "chi":
            found = stats.chi2_contingency(pd.crosstab(*columns), correction=False)
        elif kind in ("anova", "kruskal"):
            value, group = columns[::-1] if p else columns
            found = TESTS[kind](*(each for _, each in value.astype(float).groupby(group)))
        elif kind in TESTS:
            found = TESTS[kind](*(each.astype(float) for each in columns))
        else:
            return getattr(first.astype(float), kind.rstrip("0"))(
                **({"ddof": 0} if kind.endswith("0") else {})
            )
        return found.pvalue if p else found.statistic

    def hard(self, question):
        lists = {name: self.table(f"meta/{name}.csv") for name in ("columns", "visits", "sites")}
        named = lists["columns"][["column", "called"]].itertuples(index=False)
        spoken = {called: name for name, names in named for called in names.split("; ") if called in question}
        columns = [spoken[each] for each in sorted(spoken, key=question.index)]
        frames = {path: self.table(path) for path in self.data if path.startswith("data/")}
        if "visits.csv" in question or "visits for which" in question:
            counts = {
                re.search(r"V\d+", path)[0]: frame["sample"].nunique() for path, frame in frames.items()
            }
            rows = lists["visits"].merge(lists["sites"], on="site")
            said = rows["visit"].map(counts) != rows["samples"].astype(int)
            return int(said[self.fulfil(rows, question, []).index].sum())
        frames = [
            frame.rename(columns=lambda each: each.partition(" (")[0]).assign(
                visit=re.search(r"V\d+", path)[0]
            )
            for path, frame in frames.items()
        ]
        rows = (
            pd.concat(frames).drop_duplicates("sample").merge(lists["visits"][["visit", "site"]], on="visit")
        )
        rows = rows.merge(lists["sites"], on="site")
        for name in columns:
            cells = rows[name].astype(str).str.replace(",", ".")
            rows[name] = pd.to_numeric(cells.mask(cells.isin(["-999", "9999", "NA"])), errors="coerce")
        rows = self.fulfil(rows, question, columns)
        kind = next(value for word, value in WORDS.items() if word in question)
        names = columns[:2] if kind in ("pearson", "spearman") else [columns[0], lists["sites"].columns[1]]
        rows = rows.dropna(subset=names)
        return self.statistic(kind, [rows[each] for each in names])

    def fulfil(self, rows, question, columns):
        for name in rows.columns.difference([*columns, "sample", "time", "site", "visit"]):
            levels = {each for each in rows[name].dropna().astype(str).unique() if len(each) > 2}
            said = {each for each in levels if each in question}
            if len(levels) < 9 and 0 < len(said) < len(levels):
                rows = rows[rows[name].isin(said)]
        bound = re.search(
            rf"(above|more than|>|greater than|over|below|less than|<|smaller than|under) ({NUMBER})",
            question,
        )
        if bound and len(columns) > 1:
            above = bound[1] in ("above", "more than", ">", "greater than", "over")
            rows = (
                rows[rows[columns[1]] > float(bound[2])]
                if above
                else rows[rows[columns[1]] < float(bound[2])]
            )
        return rows


def is_same(one, other):
    return all(re.fullmatch(NUMBER, str(each)) for each in (one, other)) and float(one) == float(other)


def written(value, name):
    forms = [value, *(value.zfill(width) for width in (2, 3) if value.isdigit())]
    if date := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", value):
        y, m, d = date.groups()
        forms += [y + m + d, f"{y}_{m}_{d}", f"{m}_{d}_{y}", f"{d}-{m}-{y}", f"{d}{MONTHS[int(m) - 1]}{y}"]
    return [
        label + each
        for label, each in itertools.product(("", f"{name}=", name.removesuffix("_number")), forms)
    ]
