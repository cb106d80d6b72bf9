"""Attackers who have learned from other items: they give each option a score, and take the best."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import diags, hstack

from attackers.phreeqc_mcq.features import features
from attackers.phreeqc_mcq.measures import MEASURES, OF_QUESTION, ranks_of, unit_range
from attackers.phreeqc_mcq.results import Group, Result, share
from attackers.phreeqc_mcq.seen import Floats, Seen
from labrig.errors import LabrigError
from labrig_suites.phreeqc_mcq.items import LETTERS

FOLDS = 6
"""Whole stems make uneven folds; with six, every training set has 2,000 of 2,500 items."""


def classifiers(found: Sequence[Seen]) -> list[Result]:
    """Return what attackers find that were trained on other items; none where there are fewer than two stems.

    Raises
    ------
    LabrigError
        ``unavailable`` without scikit-learn.
    """
    try:
        from sklearn.model_selection import GroupKFold, KFold
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped] # a dependency of scikit-learn
    except ImportError as error:
        raise LabrigError(
            "The classifiers need scikit-learn",
            try_="install the development dependencies: uv sync, or pip install --group dev",
            code="unavailable",
        ) from error
    stems = [item.stem for item in found]
    if len(set(stems)) < 2:
        return []
    apart = list(GroupKFold(min(FOLDS, len(set(stems)))).split(stems, groups=stems))
    mixed = list(KFold(min(FOLDS, len(found)), shuffle=True, random_state=0).split(stems))
    results = []
    with threadpool_limits(1):  # the same sums in the same order on any machine
        for group, name, learner in _learners(found):
            for folds, which, unseen in ((apart, "unseen stems", True), (mixed, "seen stems", False)):
                hits = sum(
                    share(scores, found[n].answer)
                    for train, test in folds
                    for n, scores in zip(test, learner(train, test), strict=True)
                )
                trained = min(len(train) for train, _ in folds)
                results.append(Result(group, f"{name}, {which}", hits, len(found), unseen, trained))
    return results


Learner: TypeAlias = Callable[[npt.NDArray[np.int_], npt.NDArray[np.int_]], Floats]
"""Learns from the items of the first indices; returns scores (items, 4) of the second."""


def _learners(found: Sequence[Seen]) -> Iterator[tuple[Group, str, Learner]]:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    count = len(LETTERS)
    options = features(found, MEASURES.values())
    both = features(found, (*MEASURES.values(), *OF_QUESTION.values()))
    right = np.eye(count)[[item.answer for item in found]]
    questions = np.array([item.question for item in found], dtype=object)
    # How words may tilt the choice: towards each rank, and towards larger or smaller values.
    lines = np.array(
        [[*np.eye(count)[ranks_of(item.values).astype(int)].T, unit_range(item.values)] for item in found]
    )

    def flat(values: Floats) -> Floats:
        return values.reshape(-1, values.shape[-1])

    def logistic() -> Any:
        return make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=500))

    def boosting() -> Any:
        return HistGradientBoostingClassifier(
            max_iter=120, learning_rate=0.06, max_leaf_nodes=15, early_stopping=False, random_state=0
        )

    def learned(model: Any, train: Any, test: Any, answers: Floats) -> Floats:
        model.fit(train, answers.ravel())
        scores: Floats = model.predict_proba(test)[:, 1].reshape(-1, count)
        return scores

    def of_options(make: Callable[[], Any]) -> Learner:
        return lambda train, test: learned(make(), flat(options[train]), flat(options[test]), right[train])

    def words_by_rank(train: npt.NDArray[np.int_], test: npt.NDArray[np.int_]) -> Floats:
        tfidf = TfidfVectorizer(min_df=2, sublinear_tf=True).fit(questions[train])
        scale = StandardScaler().fit(flat(both[train]))

        def joined(which: npt.NDArray[np.int_]) -> Any:
            words = tfidf.transform(np.repeat(questions[which], count))
            by_line = [diags(each) @ words for each in lines[which].transpose(1, 0, 2).reshape(5, -1)]
            return hstack([scale.transform(flat(both[which])) / 10, *by_line]).tocsr()

        model = LogisticRegression(C=1.0, solver="liblinear", random_state=0)
        return learned(model, joined(train), joined(test), right[train])

    def words_in_boosting(train: npt.NDArray[np.int_], test: npt.NDArray[np.int_]) -> Floats:
        tfidf = TfidfVectorizer(min_df=2, sublinear_tf=True).fit(questions[train])
        words = tfidf.transform(questions[train])
        topics = TruncatedSVD(min(20, words.shape[1] - 1, len(train) - 1), random_state=0).fit(words)

        def joined(which: npt.NDArray[np.int_]) -> Floats:
            about = topics.transform(tfidf.transform(questions[which]))
            return np.hstack([flat(both[which]), np.repeat(about, count, axis=0)])

        return learned(boosting(), joined(train), joined(test), right[train])

    yield "options", "logistic regression", of_options(logistic)
    yield "options", "gradient boosting", of_options(boosting)
    yield "question", "logistic regression on words", words_by_rank
    yield "question", "gradient boosting on words", words_in_boosting
