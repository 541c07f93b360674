import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { useQuery } from "../../api/use-query.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Form, SelectField } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { paramOf, useProgram } from "../../session.tsx";
import { useDraft } from "../../use-draft.ts";

function useMail() {
  return useProgramQuery("mail", {}, async ({ param }, init) => {
    return (await take(api.programs[":programId"].notifications.$get({ param }, init))).data;
  });
}
type MailSettings = NonNullable<ReturnType<typeof useMail>["data"]>;

const options = [
  ["off", "Off"],
  ["daily", "Daily"],
  ["weekly", "Weekly, on Monday"],
] as const;

const kinds = {
  application_received: { label: "Applications to become a partner" },
  claim_opened: { label: "Missing sales that partners report" },
  commission_held: { label: "Commissions to review or confirm" },
  webhook_disabled: { label: "Failing webhooks" },
  payout_due: {
    label: "Payouts",
    hint: "Drafts, unpaid payouts, and partners who can be paid if there was no payout in the last 30 days.",
  },
} as const satisfies Readonly<Record<keyof MailSettings, object>>;

const mailKey = "mail";

const problems = {
  on: undefined,
  no_mail: "This service sends no email. Its operator has to set up a mailer.",
  no_base_url: "This service sends no such emails. The operator must first set the service's address.",
  unverified: "Verify your address on the Account page to get emails.",
} as const;

const useAllMail = () =>
  useQuery(mailKey, async (signal) => (await take(api.notifications.$get({}, { init: { signal } }))).data);

/** Shows why no emails are sent. Shows nothing if they are. */
function MailProblem({ state }: { readonly state: keyof typeof problems }): JSX.Element | null {
  const problem = problems[state];
  return problem === undefined ? null : (
    <Notice look="warn">
      <p>{problem}</p>
    </Notice>
  );
}

export function Mail(): JSX.Element {
  const mail = useMail();
  const { data: all } = useAllMail();
  return (
    <div class="settings">
      <Card
        title="Mail"
        lead="Your own emails about open tasks. You get at most one a day for all programs, after 6:00 UTC."
      >
        {all !== undefined && <MailProblem state={all.state} />}
        <Loaded query={mail} skeleton={<Skeleton lines={6} />}>
          {(settings) => <Kinds settings={settings} />}
        </Loaded>
      </Card>
    </div>
  );
}

function Kinds({ settings }: { readonly settings: MailSettings }): JSX.Element {
  const { program } = useProgram();
  const draft = useDraft(`program ${program.id} mail`, settings);
  const save = useAction(
    () => {
      const chosen = (kind: keyof MailSettings) => options.find(([value]) => value === draft.changes[kind])?.[0];
      const json = {
        application_received: chosen("application_received"),
        claim_opened: chosen("claim_opened"),
        commission_held: chosen("commission_held"),
        webhook_disabled: chosen("webhook_disabled"),
        payout_due: chosen("payout_due"),
      };
      return take(api.programs[":programId"].notifications.$put({ param: paramOf(program), json }));
    },
    { failsIn: "form", done: "Saved.", refreshes: [`program ${program.id} mail`, mailKey], onDone: draft.markSaved },
  );
  return (
    <Form action={save} submit="Save" draft={draft}>
      {Object.entries(kinds).map(([kind, texts]) => (
        <SelectField key={kind} name={kind} options={options} {...texts} />
      ))}
    </Form>
  );
}

/** The section of the Account page for the emails about all programs. */
export function AllMail(): JSX.Element {
  const mail = useAllMail();
  const set = useAction((all: "by_role" | "off") => take(api.notifications.$put({ json: { all } })), {
    done: "Saved.",
    refreshes: [mailKey, "program "],
  });
  return (
    <section class="account-section">
      <h2>Mail</h2>
      <Loaded query={mail} skeleton={<Skeleton lines={3} />}>
        {({ all, chosen, state }) => {
          const isStopped = all === "off" && chosen === 0;
          return (
            <>
              <MailProblem state={state} />
              <p class="soft">
                {isStopped
                  ? "You get no emails about open tasks."
                  : "You get at most one email a day about open tasks. Choose its content in each program's settings."}
              </p>
              <div class="row">
                <Button isPending={set.isPending} onClick={() => set.run(isStopped ? "by_role" : "off")}>
                  {isStopped ? "Email me about programs that I own" : "Stop all of these emails"}
                </Button>
              </div>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
