import "./webhooks.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Webhook } from "../../../api/types.ts";
import { Button } from "../../../components/button.tsx";
import { Card } from "../../../components/card.tsx";
import { Empty, Loaded } from "../../../components/states.tsx";
import { TableSkeleton } from "../../../components/table.tsx";
import { useProgram } from "../../../session.tsx";
import { useFilters } from "../../../url.ts";
import { CreateWebhook } from "./create-webhook.tsx";
import { OneWebhook } from "./one-webhook.tsx";
import { useWebhooks } from "./queries.ts";
import { WebhookTable } from "./webhook-table.tsx";

export default function Webhooks(): JSX.Element {
  const [{ webhook: wanted }] = useFilters();
  const webhooks = useWebhooks();
  return (
    <div class="settings wide webhooks">
      <Loaded query={webhooks} skeleton={<TableSkeleton rows={3} />}>
        {(all) => {
          const webhook = all.find(({ id }) => String(id) === wanted);
          return webhook === undefined ? <List webhooks={all} /> : <OneWebhook key={webhook.id} of={webhook} />;
        }}
      </Loaded>
    </div>
  );
}

function List({ webhooks }: { readonly webhooks: readonly Webhook[] }): JSX.Element {
  const { mayChange } = useProgram();
  const [isCreating, setIsCreating] = useState(false);
  return (
    <Card
      title="Webhooks"
      lead="Each webhook posts this program's events to a URL of your server, signed with a secret that only you and this service know."
      actions={
        mayChange("admin") && (
          <Button look="primary" onClick={() => setIsCreating(true)}>
            Create webhook…
          </Button>
        )
      }
    >
      {webhooks.length > 0 ? (
        <WebhookTable webhooks={webhooks} />
      ) : (
        <Empty title="No webhooks yet">
          Create a webhook to receive sales, approved commissions and payouts as they happen.
        </Empty>
      )}
      {isCreating && <CreateWebhook onClose={() => setIsCreating(false)} />}
    </Card>
  );
}
