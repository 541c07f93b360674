import type { FunctionComponent, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Webhook } from "../../../api/types.ts";
import { Button } from "../../../components/button.tsx";
import { Card } from "../../../components/card.tsx";
import { Count } from "../../../components/numbers.tsx";
import { Instant } from "../../../components/time.tsx";
import { useProgram } from "../../../session.tsx";
import { DeleteWebhook } from "./delete-webhook.tsx";
import { Deliveries } from "./deliveries.tsx";
import { DisableWebhook } from "./disable-webhook.tsx";
import { EditWebhook } from "./edit-webhook.tsx";
import { EnableWebhook } from "./enable-webhook.tsx";
import { type AboutWebhook, webhooksAddress } from "./queries.ts";
import { ReplayEvents } from "./replay-events.tsx";
import { RotateSecret } from "./rotate-secret.tsx";
import { SendExample } from "./send-example.tsx";
import { WebhookNotice } from "./webhook-notice.tsx";
import { LastSent, WebhookStatus } from "./webhook-table.tsx";
import { bookTitle } from "./words.ts";

const dialogs = {
  example: { title: "Send example…", part: SendExample },
  replay: { title: "Replay events…", part: ReplayEvents },
  enable: { title: "Enable…", part: EnableWebhook },
  edit: { title: "Edit…", part: EditWebhook },
  rotate: { title: "Rotate secret…", part: RotateSecret },
  disable: { title: "Disable…", part: DisableWebhook },
  delete: { title: "Delete…", part: DeleteWebhook },
} as const satisfies Record<string, { readonly title: string; readonly part: FunctionComponent<AboutWebhook> }>;
type Choice = keyof typeof dialogs;

function choicesOf({ status, provedAt }: Webhook): readonly Choice[] {
  if (status === "disabled") return ["enable", "edit", "rotate", "delete"];
  return ["example", ...(provedAt === null ? [] : ["replay" as const]), "edit", "rotate", "disable", "delete"];
}

export function OneWebhook({ of }: { readonly of: Webhook }): JSX.Element {
  const { program, may, mayChange } = useProgram();
  const [choice, setChoice] = useState<Choice>();
  const Chosen = choice && dialogs[choice].part;
  const whileArchived: readonly Choice[] = may("admin") ? ["delete"] : [];
  const allowed = mayChange("admin") ? choicesOf(of) : whileArchived;
  return (
    <>
      <a href={webhooksAddress(program)}>All webhooks</a>
      <Card title={of.url} lead={of.description}>
        <WebhookNotice of={of} />
        <Facts of={of} />
        <div class="row">
          {allowed.map((each) => (
            <Button key={each} look={each === "delete" ? "danger" : "secondary"} onClick={() => setChoice(each)}>
              {dialogs[each].title}
            </Button>
          ))}
        </div>
      </Card>
      <Deliveries of={of} />
      {Chosen && <Chosen of={of} onClose={() => setChoice(undefined)} />}
    </>
  );
}

const Facts = ({ of }: { readonly of: Webhook }): JSX.Element => (
  <dl class="facts">
    <dt>Status</dt>
    <dd>
      <WebhookStatus of={of} />
    </dd>
    <dt>Events</dt>
    <dd>
      {bookTitle(of)} · {of.types === null ? "All events" : of.types.join(", ")}
    </dd>
    <dt>Last sent</dt>
    <dd>
      <LastSent of={of} />
    </dd>
    <dt>Waiting</dt>
    <dd>
      <Count of={of.waiting} />
    </dd>
    <dt>Failed in the last seven days</dt>
    <dd>
      <Count of={of.failed} />
    </dd>
    <dt>First successful answer</dt>
    <dd>{of.provedAt === null ? "None yet" : <Instant at={of.provedAt} />}</dd>
    <dt>Created</dt>
    <dd>
      <Instant at={of.createdAt} />
    </dd>
  </dl>
);
