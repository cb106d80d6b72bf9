"""What is to be run: a plan, kept in the output folder so that it can be gone on with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from labrig import sideenv
from labrig.errors import LabrigError
from labrig.toolbox import ServeOptions
from labrig_harness import agents, suites
from labrig_harness.agent import Agent, AgentSpec
from labrig_harness.arm import NATIVE, WEB, Arm
from labrig_harness.grounding.perturb import AUTO, parse
from labrig_harness.recording.call_store import LIVE, REPLAY, CallStore
from labrig_harness.records import outfolder
from labrig_harness.records.chosen import PRESET
from labrig_harness.registry.servers import Target, toolbox
from labrig_harness.run.attempts import missing
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Solution, Suite
from labrig_harness.wording import WORDING


@dataclass(frozen=True)
class RunPlan:
    """What is to be run: every combination of `tasks` and epochs, on one arm with one agent.

    Attributes
    ----------
    jobs
        Items at a time.
    retries
        Times an item is tried again in the same run when the model's service asked to wait.
    calls
        Mode of the recording proxy (``live``, ``record``, ``replay``, ``refresh``) and its store.
    perturb
        A declared change of one tool result, or empty: see `labrig_harness.grounding.perturb`.
    given
        Limits of the arm that were asked for, by a flag or a preset: a sample's own do not replace these.
    settings
        Of the arm's servers, by server, in place of the arm's own.
    of_suite
        The arm of the suite whose servers were replaced by others; empty where they were not.
    native
        Whether the agent, a program, keeps its own tools; `web` where it keeps those for the web, too.
    preset
        Its name and how many items it left out (`labrig_harness.records.chosen`), or empty.
    prompt
        The file in whose words the samples ask, and its hash (`labrig_harness.wording`), or empty: the suite's own.
    """

    suite: Suite
    arm: Arm
    agent: AgentSpec
    tasks: tuple[Sample, ...]
    seed: int = 0
    epochs: int = 1
    jobs: int = 2
    retries: int = 4
    calls: str = "live"
    store: str = ""
    perturb: str = ""
    given: tuple[str, ...] = ()
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    preset: Mapping[str, Any] = field(default_factory=dict)
    of_suite: str = ""
    native: bool = False
    web: bool = False
    prompt: Mapping[str, str] = field(default_factory=dict)

    @property
    def servers(self) -> dict[str, Any]:
        """How the servers are reached that were given in place of the arm's, by name."""
        return {name: self.arm.target(name).to_dict() for name in self.arm.served}

    @property
    def label(self) -> str:
        """Folder name of this run within an output folder."""
        perturbed = f".{outfolder.safe(self.perturb)}" if self.perturb else ""
        return f"{self.arm.name}.{outfolder.safe(self.agent.label)}{perturbed}"

    @property
    def prompt_version(self) -> dict[str, str]:
        """The hash of the file in whose words the samples ask, as a record has it; empty for the suite's words."""
        return {WORDING: f"sha256 {self.prompt['sha256']}"} if self.prompt else {}

    def units(self) -> list[tuple[Sample, int]]:
        """Return (task, epoch) pairs in the order they are started."""
        return [(sample, epoch) for epoch in range(self.epochs) for sample in self.tasks]

    def arm_of(self, sample: Sample) -> Arm:
        """Return the arm as one sample is run in it: with the limits that it or the sample sets for this one."""
        found = sample.limited()
        if self.arm.limits_of is not None:
            found |= replace(sample, limits=dict(self.arm.limits_of(sample))).limited()
        return replace(self.arm, **{name: value for name, value in found.items() if name not in self.given})

    def make_agent(self, epoch: int) -> Agent:
        """Return the agent of one record."""
        by_id = {sample.id: sample for sample in self.tasks}

        def solve(brief: SampleInput) -> Solution:
            return self.suite.solution(by_id[brief.id], self.arm)

        return agents.make(self.agent, seed=self.seed, epoch=epoch, solve=solve, own=self.suite.agents)

    def check(self) -> None:
        """Raise a LabrigError when this agent cannot run in this arm here, or what is asked for cannot be read."""
        for sample in self.tasks:  # else the scores would be refused, after all was run
            if sample.suite != self.suite.name or sample.suite_version not in (
                self.suite.version,
                *self.suite.earlier,
            ):
                raise LabrigError(
                    f"The sample is of {sample.suite} {sample.suite_version}, and the suite is"
                    f" {self.suite.name} {self.suite.version}",
                    where=sample.id,
                    expected="Sample(suite, suite_version, ...) with the name and the version of the suite",
                )
        if self.perturb and self.perturb != AUTO:
            parse(self.perturb)
        if self.calls != LIVE:
            CallStore.open(Path(self.store), mode=self.calls)
        agent = self.make_agent(0)
        if self.native and agent.confinement == "in_process":
            raise LabrigError(
                f"The agent {self.agent.kind!r} has no tools of its own",
                where="--native-web" if self.web else "--native",
                expected="an agent that is a program",
                code="refused",
            )
        agent.accept(self.arm)
        if self.calls != REPLAY and self.suite.check is not None:
            self.suite.check(self.arm, self.tasks)
        if self.calls != REPLAY:
            for name, serve in self.arm.served.items():
                if self.arm.target(name).is_own:
                    toolbox(name).select(serve)
            for name in dict.fromkeys(
                (*self.arm.needs, *(need for each in self.tasks for need in each.needs))
            ):
                sideenv.check_installed(sideenv.find_side_env(name))

    def to_dict(self) -> dict[str, Any]:
        """Return what ``run.json`` holds: all that is needed to go on with the run."""
        return {
            "suite": self.suite.name,
            "suite_version": self.suite.version,
            "arm": self.arm.name,
            **({"servers": self.servers, "arm_of_suite": self.of_suite} if self.of_suite else {}),
            **({"native": True} if self.native else {}),
            **({"web": True} if self.web else {}),
            "budget": self.arm.budget(),
            "agent": asdict(self.agent),
            "seed": self.seed,
            "epochs": self.epochs,
            "count": len(self.tasks),
            "calls": self.calls,
            "store": self.store,
            "perturb": self.perturb,
            **({"settings": self.settings} if self.settings else {}),
            **({PRESET: dict(self.preset)} if self.preset else {}),
            **({WORDING: dict(self.prompt)} if self.prompt else {}),
            **({"given": list(self.given)} if self.given and any(each.limits for each in self.tasks) else {}),
            "http_mode": self.arm.serve.http_mode,
            "ledger": str(self.arm.serve.ledger or ""),
        }

    @classmethod
    def from_dict(
        cls, about: dict[str, Any], suite: Suite, samples: tuple[Sample, ...], jobs: int = 2
    ) -> RunPlan:
        """Rebuild a plan from ``run.json`` and the tasks beside it."""
        spec = dict(about["agent"])
        spec["command"] = tuple(spec.get("command", ()))
        of_suite, native = about.get("arm_of_suite", ""), about.get("native") is True
        web = about.get("web") is True
        ending = (NATIVE if native else "") + (WEB if web else "")
        arm = suite.arm(of_suite or about["arm"].removesuffix(ending))
        if of_suite:
            arm = arm.on({name: Target.from_dict(name, each) for name, each in about["servers"].items()})
        if native:
            arm = arm.native(web=web)
        ledger = Path(about["ledger"]) if about.get("ledger") else None
        given = about.get("settings", {})

        def served(server: str, serve: ServeOptions) -> ServeOptions:
            settings = {**serve.settings, **given.get(server, {})}
            return replace(serve, http_mode=str(about.get("http_mode", "")), ledger=ledger, settings=settings)

        return cls(
            suite=suite,
            arm=replace(arm.serving(served), **about["budget"]),
            of_suite=of_suite,
            native=native,
            web=web,
            settings=given,
            preset=about.get(PRESET, {}),
            prompt=about.get(WORDING, {}),
            agent=AgentSpec(**spec),
            tasks=samples,
            seed=int(about["seed"]),
            epochs=int(about["epochs"]),
            jobs=jobs,
            calls=str(about.get("calls", "live")),
            store=str(about.get("store", "")),
            perturb=str(about.get("perturb", "")),
            given=tuple(about.get("given", ())),
        )


def prepare(plan: RunPlan, out: Path) -> RunPlan:
    """Make the output folder ready for a plan; the tasks that are there already are taken in place of its own."""
    _check_missing(plan, out)
    plan = replace(plan, tasks=tuple(outfolder.keep_tasks(out, plan.tasks)))
    outfolder.sweep(out)
    outfolder.keep_run(out, plan.label, _describe_plan(plan))
    return plan


def rehearse(plan: RunPlan, out: Path) -> None:
    """Raise the LabrigError that would keep a plan from being run into a folder; nothing is written.

    The content of the samples' files is read whole, since it must have its hash.
    """
    _check_missing(plan, out)
    plan = replace(plan, tasks=tuple(outfolder.kept_tasks(out, plan.tasks)) or plan.tasks)
    for blob in dict.fromkeys(blob for sample in plan.tasks for blob in sample.blobs):
        blob.check()
    outfolder.check_run(out, plan.label, _describe_plan(plan))


def _check_missing(plan: RunPlan, out: Path) -> None:
    """Check the plan unless all its records are there: a run that is whole needs no key, no program."""
    folders = (outfolder.record_folder(out, plan.label, sample.id, epoch) for sample, epoch in plan.units())
    if any(missing(folder) is not None for folder in folders):
        plan.check()


def _describe_plan(plan: RunPlan) -> dict[str, Any]:
    return {**plan.to_dict(), "tasks": outfolder.tasks_hash(plan.tasks), "label": plan.label}


def plans(out: Path, labels: Sequence[str], *, jobs: int = 2) -> list[RunPlan]:
    """Return the plans of runs as they were started.

    Raises
    ------
    LabrigError
        If the folder holds no run, or one that this version cannot go on with.
    """
    samples = tuple(outfolder.read_tasks(out))
    suite = suites.load(samples[0].suite)
    if suite.version != samples[0].suite_version:
        raise LabrigError(
            f"These runs are of {suite.name} {samples[0].suite_version}; installed is {suite.version}",
            where=str(out),
            try_="the release of labrig that run.json names",
        )
    found = []
    for label in labels:
        about = outfolder.read_run(out, label)
        try:
            found.append(RunPlan.from_dict(about, suite, samples[: about.get("count")], jobs))
        except (KeyError, TypeError, ValueError) as error:
            raise LabrigError(f"run.json cannot be used: {error!r}", where=label) from error
    if not found:
        raise LabrigError("The folder holds no run", where=str(out), expected="<run>/run.json")
    return found
