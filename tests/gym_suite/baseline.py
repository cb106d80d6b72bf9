"""What 150 lines and no model get: a program that knows the templates of `clean`, and what a script can of `hard`."""

import io
import itertools
import json
import re

import pandas as pd
from scipy import stats

NO = "not possible"
NUMBER = r"-?\d+(?:\.\d+)?"
KINDS = "mode min max median std std0 var var0 chi pearson spearman kruskal anova count count count mean mean"
SAID = "most frequent,smallest,largest,median,sample standard,population standard,sample variance,population variance"
SAID += ",chi-square,Pearson,Spearman,Kruskal,analysis of variance,number of,how often,count of,mean,higher"
WORDS = dict(zip(SAID.split(","), KINDS.split(), strict=True))
ABOVE, BELOW = "above|more than|>|greater than|over", "below|less than|<|smaller than|under"
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
ABSTRACT, TITLE = r"^## Abstract\n\n(.+)$", r"^# (.+)$"
README = {(1, 1): "title and abstract", (1, 0): "title only", (0, 1): "abstract only", (0, 0): "neither"}
TESTS = dict(
    zip(KINDS.split()[9:13], (stats.pearsonr, stats.spearmanr, stats.kruskal, stats.f_oneway), strict=True)
)


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
        named = re.search(r'file "([^"]+)"', question)
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
        kind = next(value for word, value in WORDS.items() if word in re.sub(r"\(.*?\)", "", ask))
        if "null hyp" not in ask:
            return self.statistic(kind, [rows[each] for each in names])
        level = float(re.search(r"level of (\S+):", ask)[1])
        found = [self.statistic(kind, [rows[a], rows[b]], p=True) for a, b in (names[:2], names[2:4])]
        return ", ".join("yes" if each < level else "no" for each in found)

    def conditions(self, text):
        for name, what in re.findall(r'"([^"]+)" is (.+?)(?=(?:, | and )"[^"]+" is |$|\?)', text):
            values = re.findall(r'"([^"]*)"', what)
            low, high = [*map(float, re.findall(NUMBER, "" if values else what)), 0.0, 0.0][:2]
            tests = {"between": lambda x, low=low, high=high: low <= float(x) <= high}
            tests |= {"above": lambda x, low=low: float(x) > low, "more": lambda x, low=low: float(x) >= low}
            tests |= {"below": lambda x, low=low: float(x) < low, "less": lambda x, low=low: float(x) <= low}
            tests |= {"": lambda x, values=values: str(x) in values or plain(x) in map(plain, values)}
            yield name, next(test for word, test in tests.items() if word in what.partition('"')[0]), values

    def by_paths(self, conditions):
        scheme = re.search(r"Files are named `(.+?)`", self.readme)
        kept = self.data
        for name, _, values in conditions:
            levels = scheme[1].split("/") if scheme else []
            level = [f"{{{name}}}" in each for each in levels].index(True) if scheme else None
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
            rows = json.loads(text) if kind == "json" else map(json.loads, text.splitlines())
            return pd.DataFrame(rows, dtype=object)
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
            return first.astype(float).agg(kind.rstrip("0"), **({"ddof": 0} if "0" in kind else {}))
        return found.pvalue if p else found.statistic

    def hard(self, question):
        lists = {name: self.table(f"meta/{name}.csv") for name in ("columns", "visits", "sites")}
        named = lists["columns"][["column", "called"]].itertuples(index=False)
        spoken = {called: name for name, names in named for called in names.split("; ") if called in question}
        columns = [spoken[each] for each in sorted(spoken, key=question.index)]
        frames = []
        for path in self.data:
            if path.startswith("data/") and not path.endswith("_copy.csv"):
                frame = self.table(path).rename(columns=lambda each: each.partition(" (")[0])
                frame["visit"] = re.search(r"V\d+", path)[0]
                frames.append(frame[frame["sample"] != ""])
        rows = pd.concat(frames).drop_duplicates("sample", keep="last").merge(lists["visits"], on="visit")
        rows = rows.merge(lists["sites"], on="site")
        if "visits" in question:
            visits = self.fulfil(rows, question, []).groupby("visit")
            return sum(len(each) != int(each["samples"].iloc[0]) for _, each in visits)
        for name in columns:
            cells = rows[name].astype(str).str.replace(",", ".")
            rows[name] = pd.to_numeric(cells.mask(cells.isin(["-999", "9999", "NA"])), errors="coerce")
        rows = self.fulfil(rows, question, columns)
        kind = next(value for word, value in WORDS.items() if word in question)
        names = columns[:2] if kind in ("pearson", "spearman") else [columns[0], lists["sites"].columns[1]]
        rows = rows.dropna(subset=names)
        return self.statistic(kind, [rows[each] for each in names])

    def fulfil(self, rows, question, columns):
        for name in rows.columns.difference([*columns, "sample", "time", "site", "visit", "day"]):
            levels = {each for each in rows[name].dropna().astype(str).unique() if len(each) > 2}
            said = {each for each in levels if each in question}
            if len(levels) < 9 and 0 < len(said) < len(levels):
                rows = rows[rows[name].isin(said)]
        bound = re.search(rf"({ABOVE}|{BELOW}) ({NUMBER})", question)
        if bound and len(columns) > 1:
            sign = 1 if bound[1] in ABOVE.split("|") else -1
            rows = rows[rows[columns[1]] * sign > float(bound[2]) * sign]
        return rows


def plain(x):
    return float(x) if re.fullmatch(NUMBER, str(x)) else x


def written(value, name):
    forms = [value, *(value.zfill(width) for width in (2, 3) if value.isdigit())]
    if date := re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", value):
        y, m, d = date.groups()
        forms += [y + m + d, f"{y}_{m}_{d}", f"{m}_{d}_{y}", f"{d}-{m}-{y}", f"{d}{MONTHS[int(m) - 1]}{y}"]
    labels = ("", f"{name}=", name.removesuffix("_number"))
    return [label + each for label, each in itertools.product(labels, forms)]
