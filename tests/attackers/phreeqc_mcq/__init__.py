"""Attackers who guess without an engine, and the rules of a set: what `orbit` promises, tried on items.

Options that `orbit` draws should tell nothing. Attackers of the group ``options`` see the four texts and their letters,
those of the group ``question`` the statement and the database too. Where one ranks two options alike, each counts for
its share.

An attacker leaks where it finds more than 27 % of 2,000 items or more. On fewer, chance alone goes further: there the
limit is what one blind guesser in a thousand exceeds. Those who read the question are reported and not judged: they
may know that a total exceeds a free ion, in any stem, and that is chemistry and not a leak. Classifiers are
cross-validated, and judged on items of stems that they have not seen; with other items of the same stem in training
they are reported and not judged.

Read in this order: `seen` (what an attacker sees), `measures`, `rules_of_thumb`, `features`, `learners`, `results`
(when it leaks), `set_rules` (what every item and the set have to keep), `report`.
"""
