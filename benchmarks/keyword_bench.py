"""Times of the keyword index: building, searching and adding at 1,000 and 100,000 memories of one owner.

python -m benchmarks.keyword_bench
"""

import random
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.keyword import KeywordIndex, SearchDoc, score_documents
from engine.text import query_terms, stem, tokenise

SYLLABLES = ["ba", "co", "de", "fi", "gu", "ha", "jo", "ke", "li", "mo", "na", "pe", "ri", "su", "ta", "vo", "we", "zi"]
VERBS = "prefer use like own want need love hate plan keep play write".split()
QUERY = "What do you know about my tabs preference and spaces?"


def vocabulary(rng: random.Random, size: int = 20_000) -> list[str]:
    return ["".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _ in range(size)]


def documents(count: int, rng: random.Random) -> list[SearchDoc]:
    """Statements of about 10 words with 20 words of context, Zipf-like; `tabs` is in 20 % of them."""
    names = vocabulary(rng)
    ranks = [1 / (rank + 10) for rank in range(len(names))]
    drawn = iter(rng.choices(names, weights=ranks, k=count * 30))
    made = []
    for _ in range(count):
        said = [next(drawn) for _ in range(10)] + (["tabs"] if rng.random() < 0.2 else [])
        context = " ".join(next(drawn) for _ in range(20))
        made.append(
            SearchDoc(f"I {rng.choice(VERBS)} {' '.join(said)}.", f"preference:{said[0]}", context, "Monday 8 May 2023")
        )
    return made


def median_ms(act: Callable[[], object], times: int) -> float:
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        act()
        spent.append(1000 * (time.perf_counter() - start))
    return sorted(spent)[len(spent) // 2]


def built(docs: list[SearchDoc]) -> KeywordIndex:
    index = KeywordIndex()
    for slot, doc in enumerate(docs):
        index.add(slot, doc)
    index.settle()
    return index


def report(count: int) -> None:
    rng = random.Random(count)
    docs = documents(count, rng)
    stem.cache_clear()
    start = time.perf_counter()
    index = built(docs)
    cold = time.perf_counter() - start
    start = time.perf_counter()
    index = built(docs)
    warm = time.perf_counter() - start
    print(f"{count:>7,} memories: built in {1000 * cold:,.0f} ms cold, {1000 * warm:,.0f} ms with the stems known")
    print(f"{'':>18} {index.nbytes / count:,.0f} bytes a memory")
    eligible = np.ones(count, dtype=np.bool_)
    words = docs[0].content.split()
    queries = {
        "a term in 20 %": "tabs",
        "a question": QUERY,
        "one rare term": words[5],
        "12 terms": " ".join(words[2:12]) + " tabs prefer",
        "200 terms": " ".join(doc.content for doc in docs[:20]),
    }
    for name, query in queries.items():
        stems = [term.stem for term in query_terms(query)]
        spent = median_ms(partial(index.search, stems, eligible), 200 if count < 10_000 else 30)
        print(f"{'':>18} search, {name}: {spent:.3f} ms, {len(index.search(stems, eligible).slots):,} hits")
    report_changes(index, docs, eligible)


def report_changes(index: KeywordIndex, docs: list[SearchDoc], eligible: NDArray[np.bool_]) -> None:
    """Additions alone, and each followed by a search, as a chat does."""
    stems = [term.stem for term in query_terms(QUERY)]
    times = 2_000
    start = time.perf_counter()
    for number in range(times):
        index.add(number % len(docs), docs[-1 - number % len(docs)])
    added = time.perf_counter() - start
    worst = 0.0
    start = time.perf_counter()
    for number in range(times):
        before = time.perf_counter()
        index.add(number % len(docs), docs[number % len(docs)])
        index.search(stems, eligible)
        worst = max(worst, time.perf_counter() - before)
    both = time.perf_counter() - start
    print(
        f"{'':>18} replace: {1000 * added / times:.3f} ms; replace and search: {1000 * both / times:.3f} ms,", end=" "
    )
    print(f"the slowest {1000 * worst:.1f} ms")


def report_text() -> None:
    rng = random.Random(1)
    docs = documents(2_000, rng)
    tokens = sum(len(tokenise(doc.content)) for doc in docs)
    spent = median_ms(lambda: [tokenise(doc.content) for doc in docs], 5)
    print(f"tokenise: {1e6 * spent / tokens / 1000:.2f} µs a token; query_terms: ", end="")
    print(f"{1000 * median_ms(lambda: query_terms(QUERY), 200):.0f} µs")
    chosen = dict(enumerate(docs[:200]))
    spent = median_ms(lambda: score_documents(["tab", "prefer"], chosen, total=200, mean_length=100.0), 20)
    print(f"score_documents, 200 documents: {spent:.2f} ms")


if __name__ == "__main__":
    report_text()
    report(1_000)
    report(100_000)
