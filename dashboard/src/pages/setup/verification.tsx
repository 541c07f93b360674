import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CheckIcon, CrossIcon } from "../../components/icons.tsx";
import { Notice } from "../../components/notice.tsx";
import { useProgram } from "../../session.tsx";

const names = { click: "Click", lead: "Lead", sale: "Sale" } as const;

/** What stands in a step's way, and what removes it. */
const remedies: Readonly<Record<string, string>> = {
  no_commission_policy: "The sale earned nothing, for there is no commission yet. Set one above, and run it again.",
  program_inactive: "The program is paused. Make it active in its settings, and run it again.",
  partner_inactive: "The partner is paused.",
  currency_mismatch: "The commission's amounts are in another currency than the program's. Set it anew above.",
  below_minimum: "The test sale of 9999 is below the commission's smallest sale. Lower that.",
  recurring_not_covered: "The commission is for first sales alone, and this was counted as a later one.",
  "Referral link is inactive": "The program is paused, so its links count nothing. Make it active in its settings.",
  "Rests on a step that failed": "Not tried: it rests on the step before it.",
  provisional: "The program takes leads from servers alone, and this one did not count as such.",
};

const failed = "Something went wrong on our side. Run it again; if it stays, tell whoever runs the service.";

/** A synthetic click, lead and sale, and what came of each; and a single test click. */
export function Verification(): JSX.Element {
  const { program } = useProgram();
  const programId = String(program.id);
  const run = useAction(() => take(api.tracking["run-verification"][":programId"].$post({ param: { programId } })), {
    refreshes: [`program ${program.id} `],
  });
  const test = useTestClick();
  const chain = run.result?.data;
  return (
    <>
      <p class="soft">
        A click, a lead and a sale go the way that real ones take, on the test book: no figure and no partner of yours
        is touched.
      </p>
      <div class="row">
        <Button look="primary" isPending={run.isPending} onClick={() => run.run(undefined)}>
          {run.isPending ? "Running …" : "Run verification"}
        </Button>
        <Button isPending={test.isPending} onClick={() => test.run(undefined)}>
          Send a test click
        </Button>
      </div>
      <div role="status" class="stack">
        {test.result !== undefined && (
          <Notice look="good">
            Test click {test.result.id} is here. {test.result.count} in all so far.
          </Notice>
        )}
        {chain !== undefined && (
          <ol class="chain">
            {chain.steps.map(({ name, status, message, duration_ms }) => (
              <li key={name} class={status}>
                <span class="chain-mark">{status === "pass" ? <CheckIcon /> : <CrossIcon />}</span>
                <div>
                  <strong>{names[name]}</strong>{" "}
                  <Badge tone={status === "pass" ? "good" : status === "fail" ? "bad" : "plain"}>
                    {status === "pass" ? "passed" : status === "fail" ? "failed" : "skipped"}
                  </Badge>{" "}
                  {status !== "skipped" && <span class="soft figures">{duration_ms} ms</span>}
                  <p class="soft">{status === "pass" ? message : (remedies[message] ?? `${message}. ${failed}`)}</p>
                </div>
              </li>
            ))}
          </ol>
        )}
      </div>
    </>
  );
}

/** Sends one, and looks whether it landed. */
function useTestClick() {
  const { program } = useProgram();
  const program_id = program.id;
  return useAction(
    async () => {
      const { testEvent } = await take(api.tracking.test.$post({ json: { program_id, event_type: "click" } }));
      const { data } = await take(
        api.tracking["check-test-events"].$post({ json: { program_id, step_id: "pageview" } }),
      );
      return { id: testEvent.id, count: data.eventCount };
    },
    { refreshes: [`program ${program.id} `] },
  );
}
