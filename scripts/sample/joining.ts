import { dayMs } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { ApplyCall } from "#operations/join/apply.ts";
import type { CreateTermsCall } from "#operations/join/create-terms.ts";
import type { SaveJoinPageCall } from "#operations/join/save-join-page.ts";
import type { ChangeCall } from "#operations/manage/settings-change.ts";
import type { Statement } from "#store/statement.ts";
import type { SampleEvent } from "./events.ts";

interface Applicant {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly site: string;
  readonly answers: { readonly where: string; readonly readers?: string };
}

interface JoinPageSaved {
  readonly kind: "join-page-saved";
}

interface TermsPublished {
  readonly kind: "terms-published";
  readonly version: number;
}

interface Applied {
  readonly kind: "applied";
  readonly applicant: Applicant;
}

export type JoinHappening = JoinPageSaved | TermsPublished | Applied;

const slug = "sample-shop";

const questions = [
  { id: "where", label: "Where would you write about us?", required: true },
  { id: "readers", label: "Who are your readers?", required: false },
];

const firstTerms = `1. Write about what you have used yourself, and say that you earn from the link.
2. No coupon sites, and no ads on our name.
3. We pay monthly what has passed the hold period.`;

/** The versions of the partner terms, oldest first. */
const terms: readonly string[] = [
  firstTerms,
  `${firstTerms}
4. We may pause a link that breaks these rules. What you have earned stays yours.`,
];

/** Fictional applicants. They have no password, so no one can sign in as them. */
const applicants: readonly Applicant[] = [
  {
    id: "sample-ida",
    name: "Fjord & Fell Notes",
    email: "ida.example@fjord-and-fell.example",
    site: "https://fjord-and-fell.example",
    answers: { where: "A monthly newsletter on hut-to-hut walks.", readers: "Some 3,000 weekend hikers." },
  },
  {
    id: "sample-noor",
    name: "Tent Talk",
    email: "noor.example@tent-talk.example",
    site: "https://tent-talk.example",
    answers: { where: "A podcast in which guests unpack their rucksacks." },
  },
];

export function joining(start: number): readonly SampleEvent[] {
  const at = (day: number, hour: number) => start + day * dayMs + hour * 3_600_000;
  return [
    { kind: "terms-published", version: 1, at: at(2, 8) },
    { kind: "join-page-saved", at: at(2, 9) },
    { kind: "terms-published", version: 2, at: at(65, 9) },
    ...applicants.map((applicant, i) => ({ kind: "applied", applicant, at: at(86 + i, 10) }) as const),
  ];
}

type JoinCall = SaveJoinPageCall | CreateTermsCall | ApplyCall;

export function joinCallOf(event: JoinHappening, common: Omit<ChangeCall, "kind">): JoinCall {
  switch (event.kind) {
    case "terms-published":
      return { ...common, kind: "create-terms", text: terms[event.version - 1] ?? "" };
    case "join-page-saved": {
      const page = {
        mode: "approval",
        slug,
        headline: "Recommend gear that lasts",
        description:
          "You write about the outdoors, we make the gear.\n\nEvery sale that comes through your link earns you a commission.",
        questions: JSON.stringify(questions),
        groupId: null,
      } as const;
      return { ...common, kind: "save-join-page", page };
    }
    case "applied": {
      const { id: actorId, name, site, answers } = event.applicant;
      const application = { slug, name, website: site, answers: JSON.stringify(answers), termsVersion: terms.length };
      return { ...common, actorId, kind: "apply", ...application, isMember: false };
    }
  }
}

/** The rows about the join page and the applicants in the home database. No call of the Ledger writes them. */
export const joiningRows = (programId: ProgramId, now: number): readonly Statement[] => [
  {
    sql: "insert into join_slugs (slug, program_id) values (?, ?) on conflict do nothing",
    args: [slug, programId],
  },
  ...applicants.map(({ id, name, email }) => ({
    sql: "insert into users (id, name, email, email_verified, created_at, updated_at) values (?, ?, ?, 1, ?, ?) on conflict do nothing",
    args: [id, name, email, now, now],
  })),
];
