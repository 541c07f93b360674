import type { JSX } from "preact";
import type { Webhook } from "../../../api/types.ts";
import { Badge } from "../../../components/badge.tsx";
import { Count } from "../../../components/numbers.tsx";
import { OpensRows } from "../../../components/opens-rows.tsx";
import { Table } from "../../../components/table.tsx";
import { Instant } from "../../../components/time.tsx";
import { useProgram } from "../../../session.tsx";
import { webhookAddress } from "../../../url.ts";
import { bookTitle, typesTitle } from "./words.ts";

export function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }): JSX.Element {
  const { program } = useProgram();
  return (
    <OpensRows>
      <div class="webhook-list row-cards">
        <Table
          caption="Webhooks, oldest first"
          columns={[
            {
              head: "URL",
              cell: (webhook) => (
                <span class="two-lines">
                  <a class="row-link" href={webhookAddress(program.id, webhook.id)} title={webhook.url}>
                    <bdi>{webhook.url}</bdi>
                  </a>
                  {webhook.description !== "" && (
                    <small>
                      <bdi>{webhook.description}</bdi>
                    </small>
                  )}
                </span>
              ),
            },
            { head: "Status", cell: (webhook) => <WebhookStatus of={webhook} /> },
            { head: "Events", cell: (webhook) => `${bookTitle(webhook)} · ${typesTitle(webhook)}` },
            { head: "Last sent", cell: (webhook) => <LastSent of={webhook} />, isNumber: true },
            { head: "Waiting", cell: ({ waiting }) => <Count of={waiting} />, isNumber: true },
            { head: "Failed", cell: ({ failed }) => <Count of={failed} />, isNumber: true },
          ]}
          rows={webhooks}
          rowKey={({ id }) => id}
        />
      </div>
    </OpensRows>
  );
}

/**
 * Position of the last sent event in the feed. A webhook begins at the newest event, so it has sent nothing until its
 * first successful answer.
 */
export const LastSent = ({ of: { lastSeq, newestSeq, provedAt } }: { readonly of: Webhook }): JSX.Element =>
  provedAt === null ? (
    <>Nothing yet</>
  ) : (
    <span>
      <Count of={lastSeq} /> of <Count of={newestSeq} />
    </span>
  );

export function WebhookStatus({ of: { status, failingSince, provedAt } }: { readonly of: Webhook }): JSX.Element {
  const { isArchived } = useProgram();
  if (isArchived) return <Badge>Off while archived</Badge>;
  if (status === "active" && provedAt === null) return <Badge tone="warn">Waits for its first answer</Badge>;
  if (status === "active" && failingSince === null) return <Badge tone="good">Active</Badge>;
  return (
    <span class="two-lines">
      {status === "disabled" ? <Badge>Disabled</Badge> : <Badge tone="bad">Failing</Badge>}
      {failingSince !== null && (
        <small>
          {status === "active" ? "Since" : "Failed since"} <Instant at={failingSince} />
        </small>
      )}
    </span>
  );
}
