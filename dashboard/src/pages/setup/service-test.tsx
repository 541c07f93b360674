import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { GuideLink } from "../../components/guide-link.tsx";
import { CheckIcon, CrossIcon } from "../../components/icons.tsx";
import { Notice } from "../../components/notice.tsx";
import { pluralize } from "../../format.ts";
import { useProgram } from "../../session.tsx";

const names = { click: "Click", lead: "Lead", sale: "Sale" } as const;

const remedies: Readonly<Record<string, string>> = {
  no_commission_policy: "The sale earned nothing because no commission is set. Set one and run the test again.",
  program_inactive: "The program is paused. Resume it in Settings and run the test again.",
  partner_inactive: "The partner is paused.",
  excluded_by_rule:
    "A rule of the commission covers sales without a product, and excludes them. Change it in Settings.",
  currency_mismatch: "The commission's amounts aren't in the program's currency. Set the commission again in Settings.",
  below_minimum: "The test sale of 9999 is below the commission's minimum sale. Lower the minimum.",
  recurring_not_covered: "The commission applies to first sales only, and the test sale counted as a later one.",
  "Referral link is inactive": "The program is paused, so its links don't count clicks. Resume it in Settings.",
  "Rests on a step that failed": "Skipped because the previous step failed.",
  provisional: "The program accepts leads only from servers, but the test lead didn't count as sent by one.",
};

const failed =
  "Something went wrong on our side. Run the test again. If it keeps failing, contact the operator of this service.";

/** Lets the service test itself with a click, a lead and a sale, which says nothing about the shop. */
export default function ServiceTest(): JSX.Element {
  const { program } = useProgram();
  const programId = String(program.id);
  const run = useAction(() => take(api.tracking["run-verification"][":programId"].$post({ param: { programId } })), {
    refreshes: [`program ${program.id} `],
  });
  const test = useTestClick();
  const chain = run.result?.data;
  return (
    <Card
      title="Test the service"
      lead="Sends a synthetic click, lead and sale to check your settings. It doesn't check your site, and your reports and partners aren't affected."
    >
      <div class="stack">
        <div class="row">
          <Button isPending={run.isPending} onClick={() => run.run(undefined)}>
            {run.isPending ? "Running…" : "Run test"}
          </Button>
          <Button isPending={test.isPending} onClick={() => test.run(undefined)}>
            Send a test click
          </Button>
        </div>
        <div role="status" class="stack">
          {test.result !== undefined && (
            <Notice look="good">
              Test click received. The program has {pluralize(test.result.count, "test click")} in total.
            </Notice>
          )}
          {chain !== undefined && (
            <ol class="chain">
              {chain.steps.map((step) => (
                <ChainStep key={step.name} step={step} />
              ))}
            </ol>
          )}
          {chain?.steps.some(({ status }) => status === "fail") && (
            <p>
              <GuideLink to="errors" about="errors" />
            </p>
          )}
        </div>
      </div>
    </Card>
  );
}

const statuses = {
  pass: { label: "Passed", tone: "good" },
  fail: { label: "Failed", tone: "bad" },
  skipped: { label: "Skipped", tone: "plain" },
} as const;

interface Step {
  readonly name: keyof typeof names;
  readonly status: keyof typeof statuses;
  readonly message: string;
  readonly duration_ms: number;
}

function ChainStep({ step: { name, status, message, duration_ms } }: { readonly step: Step }): JSX.Element {
  const { label, tone } = statuses[status];
  return (
    <li class={status}>
      <span class="chain-mark">{status === "pass" ? <CheckIcon /> : <CrossIcon />}</span>
      <div>
        <strong>{names[name]}</strong> <Badge tone={tone}>{label}</Badge>{" "}
        {status !== "skipped" && <span class="soft figures">{duration_ms} ms</span>}
        <p class="soft">{status === "pass" ? message : (remedies[message] ?? `${message}. ${failed}`)}</p>
      </div>
    </li>
  );
}

function useTestClick() {
  const { program } = useProgram();
  const program_id = program.id;
  return useAction(
    async () => {
      await take(api.tracking.test.$post({ json: { program_id, event_type: "click" } }));
      const { data } = await take(
        api.tracking["check-test-events"].$post({ json: { program_id, step_id: "pageview" } }),
      );
      return { count: data.eventCount };
    },
    { refreshes: [`program ${program.id} `] },
  );
}
