"""The 17 roadblock templates: chains of tools, what a clue says of them, and how a result becomes a value.

Names of tools, arguments and output keys are those of the published generator. A tool is asked through one function,
``ask(tool, arguments)``, which gives its published JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from labrig_suites.amazing_race.legs import Step
from labrig_suites.amazing_race.values import dates_in, day_text

Ask = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]


class Dropped(Exception):
    """A chain gives nothing that a leg could use: it is left out, as the paper's pre-validation does."""


@dataclass(frozen=True)
class Ran:
    """A chain that was run: its steps, what each gave, and the value of the last."""

    template: str
    steps: tuple[Step, ...]
    golden: tuple[Any, ...]
    value: float
    clue: str
    unit: str = ""

    @property
    def whole(self) -> int:
        """The value that later stops use: its whole part."""
        return int(self.value)


POI = (
    *("museums", "restaurants", "parks", "hotels", "hospitals", "universities", "libraries", "stadiums"),
    *("temples", "churches"),
)
CONVERSIONS = {
    "m": (("meters to feet", 3.28084, "metres to feet"), ("meters to yards", 1.09361, "metres to yards")),
    "km": (("km to miles", 0.621371, "kilometres to miles"),),
}
"""By unit: the published name, the factor, and the words of a clue. Degrees Celsius are left out: the published
``fahrenheit_offset`` is no conversion of a temperature."""
MOST_PLACES = 20
"""Places of one page of results: a count that reaches it says nothing."""


def located(ask: Ask, name: str) -> tuple[Step, tuple[float, float]]:
    """Return the step that looks a place up, and its latitude and longitude in degrees."""
    found = ask("maps_geocode", {"address": name})
    place = found["location"]
    return Step("maps_geocode", {"address": name}, "coords"), (float(place["lat"]), float(place["lng"]))


def elevation(ask: Ask, name: str) -> Ran:
    """Return how high a place lies, in metres."""
    step, (latitude, longitude) = located(ask, name)
    found = ask("maps_elevation", {"locations": [{"latitude": latitude, "longitude": longitude}]})
    value = float(found["results"][0]["elevation"])
    if value < 1:
        raise Dropped("sea level")
    steps = (step, Step("maps_elevation", {"__from_previous_as_locations": "coords"}, "elevation"))
    clue = "How many metres above sea level do the maps put the place of clue {0}?"
    return Ran("geocode_elevation", steps, ([latitude, longitude], value), value, clue, "m")


def poi_count(ask: Ask, name: str, kind: str) -> Ran:
    """Return how many places of a kind a search near a place lists."""
    query = f"{kind} near {name}"
    count = len(ask("maps_search_places", {"query": query})["places"])
    if not 1 <= count < MOST_PLACES:
        raise Dropped("none, or as many as a page holds")
    step = Step("maps_search_places", {"query": query}, "poi_count")
    return Ran(
        "nearby_poi_count",
        (step,),
        (count,),
        count,
        f"How many {kind} do the maps list near the place of clue {{0}}?",
    )


def place_rating(ask: Ask, name: str) -> Ran:
    """Return the rating of a place; its whole part is a number from 1 to 5, which a leg uses as it is."""
    places = ask("maps_search_places", {"query": name})["places"]
    rating = float(places[0].get("rating") or 0.0) if places else 0.0
    if rating < 1:
        raise Dropped("no rating")
    step = Step("maps_search_places", {"query": name}, "place_rating")
    clue = "Which rating do the maps give the first place that they list for the name of clue {0}?"
    return Ran("place_rating", (step,), (rating,), rating, clue)


def distance(ask: Ask, first: str, second: str) -> Ran:
    """Return the kilometres by road between two places."""
    one, start = located(ask, first)
    other, end = located(ask, second)
    texts = [",".join(map(str, each)) for each in (start, end)]
    found = ask("maps_distance_matrix", {"origins": texts[:1], "destinations": texts[1:]})
    cell = found["results"][0]["elements"][0]
    if cell.get("status") != "OK":
        raise Dropped("no road")
    value = _amount(cell["distance"]) / 1000
    steps = (
        Step(one.tool_name, one.arguments, "coords_a"),
        Step(other.tool_name, other.arguments, "coords_b"),
        Step(
            "maps_distance_matrix",
            {"__from_previous_as_origins_destinations": ["coords_a", "coords_b"]},
            "distance_km",
        ),
    )
    clue = "How many kilometres is it by road from the place of clue {0} to the place of clue {1}?"
    return Ran("geocode_distance", steps, (list(start), list(end), value), value, clue, "km")


def duration(ask: Ask, first: str, second: str) -> Ran:
    """Return the whole minutes of the drive between two places."""
    arguments = {"origin": first, "destination": second, "mode": "driving"}
    routes = ask("maps_directions", arguments)["routes"]
    if not routes:
        raise Dropped("no road")
    value = int(_amount(routes[0]["duration"]) / 60)
    step = Step("maps_directions", arguments, "duration")
    clue = "How many whole minutes does the drive from the place of clue {0} to the place of clue {1} take?"
    return Ran("geocode_directions_duration", (step,), (value,), value, clue)


WEATHER = {
    "geocode_weather_historical": (
        "daily.apparent_temperature_max[0]",
        "temperature",
        "degrees Celsius did it feel like at most",
    ),
    "geocode_weather_precipitation": (
        "daily.precipitation_sum[0]",
        "precipitation",
        "millimetres of precipitation fell",
    ),
    "historical_snowfall": ("daily.snowfall_sum[0]", "snowfall", "centimetres of snow fell"),
    "historical_sunshine": ("daily.sunshine_duration[0]", "sunshine", "seconds did the sun shine"),
}
"""By template: the published path of the value, its output key, and the words of a clue."""


def weather(ask: Ask, name: str, day: date, template: str) -> Ran:
    """Return the weather of a day at a place.

    The published chain for temperatures asks for a value that its tool does not have; here it is the apparent one.
    """
    step, (latitude, longitude) = located(ask, name)
    path, key, words = WEATHER[template]
    dated = {"start_date": day.isoformat(), "end_date": day.isoformat(), "select": [path]}
    found = ask("weather_historical", {"latitude": latitude, "longitude": longitude, **dated})
    value = float(picked(found, path))
    if value < 1:
        raise Dropped("nothing fell")
    steps = (step, Step("weather_historical", {"__from_previous": "coords", **dated}, key))
    clue = f"How many {words} at the place of clue {{0}} on {day_text(day)}?"
    return Ran(template, steps, ([latitude, longitude], value), value, clue)


def country(ask: Ask, name: str, template: str) -> Ran:
    """Return the population or the area in square kilometres of a country."""
    tool, key, words = {
        "country_population": ("countries_population", "population", "How many people live in"),
        "country_area": ("countries_area", "area_km2", "How many square kilometres has"),
    }[template]
    value = float(ask(tool, {"country": name})[key])
    clue = f"{words} the country of clue {{0}}, by the tables of countries and not by its page?"
    return Ran(template, (Step(tool, {"country": name}, key),), (value,), value, clue)


def market(ask: Ask, template: str, symbol: str, day: date) -> Ran:
    """Return the close or the volume of a share or a coin on a day."""
    tool, key, words = {
        "stock_price": ("stock_historical_price", "close_price", "At which price did the share"),
        "stock_volume": ("stock_volume", "volume", "How many were traded of the share"),
        "crypto_price": ("crypto_historical_price", "close_price", "At which price did the coin"),
        "crypto_volume": ("crypto_volume", "volume", "How much was traded of the coin"),
    }[template]
    named = "ticker" if template.startswith("stock") else "symbol"
    arguments = {named: symbol, "date": day.isoformat()}
    value = float(ask(tool, arguments)[key])
    if value < 1:
        raise Dropped("less than one")
    end = " close" if template.endswith("price") else ""
    clue = f"{words} {symbol}{end} on {day_text(day)}?"
    return Ran(template, (Step(tool, arguments, template),), (value,), value, clue)


def days_between(first: str, second: str) -> Ran:
    """Return how many days lie between two days, given as texts."""
    (one,), (other,) = dates_in(first), dates_in(second)
    value = abs((other - one).days)
    if not value:
        raise Dropped("the same day")
    code = (
        "from datetime import date\n"
        f'first, second = date.fromisoformat("{one}"), date.fromisoformat("{other}")\n'
        "print(abs((second - first).days))"
    )
    step = Step("python_execute_code", {"code": code}, "days")
    clue = "How many days lie between the day of clue {0} and the day of clue {1}?"
    return Ran("date_computation", (step,), (value,), value, clue)


def converted(value: int, unit: str, which: int = 0) -> Ran:
    """Return a whole number of metres or kilometres in another unit."""
    named, factor, words = CONVERSIONS[unit][which % len(CONVERSIONS[unit])]
    result = int(float(value) * factor)
    lines = (
        f"# Convert {named}",
        f"value = {float(value)}",
        f"converted = value * {factor}",
        "result = int(converted)",
    )
    code = "\n".join((*lines, "print(result)"))
    step = Step("python_execute_code", {"code": code}, "converted")
    clue = f"Turn the result of clue {{0}} from {words} (times {factor})."
    return Ran("math_conversion", (step,), (result,), result, clue)


def merged(first: int, second: int, operation: str) -> Ran:
    """Return the sum (``add``) or the difference (``abs_diff``) of two branches."""
    if operation == "add":
        result, code = first + second, f"result = int({first}) + int({second})"
        clue = "Add the results of clues {0} and {1}."
    else:
        result, code = abs(first - second), f"result = abs(int({first}) - int({second}))"
        clue = "What is the difference between the results of clues {0} and {1}, without its sign?"
    if not result:
        raise Dropped("nothing is left")
    step = Step("python_execute_code", {"code": f"{code}\nprint(result)"}, "merged")
    return Ran("merge", (step,), (result,), result, clue)


def _amount(field: Any) -> float:
    """Return metres or seconds of a field, which Google gives as an object with ``value``."""
    return float(field["value"] if isinstance(field, Mapping) else field)


def picked(found: Mapping[str, Any], path: str) -> Any:
    """Return what a dotted path names in a result, where the tool did not pick it already."""
    if path in found:
        return found[path]
    value: Any = found
    for part in path.replace("]", "").replace("[", ".").split("."):
        value = (
            value[int(part)] if isinstance(value, Sequence) and not isinstance(value, str) else value[part]
        )
    return value
