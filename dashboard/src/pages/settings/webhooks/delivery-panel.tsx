import type { JSX } from "preact";
import { take } from "../../../api/client.ts";
import type { Delivery, Webhook } from "../../../api/types.ts";
import { useAction } from "../../../api/use-action.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button, ButtonLink } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Count } from "../../../components/numbers.tsx";
import { Instant } from "../../../components/time.tsx";
import { useProgram } from "../../../session.tsx";
import { feedAddress } from "../../events/feed/feed-address.ts";
import { paramOfWebhook, webhookApi, webhookQueryKeys } from "./queries.ts";
import { answerTitle, statusTitles, statusTones } from "./words.ts";

interface DeliveryPanelProps {
  readonly webhook: Webhook;
  readonly of: Delivery;
  readonly onClose: () => void;
}

export function DeliveryPanel({ webhook, of, onClose }: DeliveryPanelProps): JSX.Element {
  const { program, mayChange } = useProgram();
  const { eventId, seq, type, status, attempts } = of;
  const retry = useAction(
    () => {
      const param = { ...paramOfWebhook(program, webhook), eventId };
      return take(webhookApi.deliveries[":eventId"].retry.$post({ param }));
    },
    { done: "The event is sent again.", refreshes: webhookQueryKeys(program), onDone: onClose },
  );
  const mayRetry = mayChange("admin") && webhook.status === "active" && seq !== null;
  return (
    <Dialog title={type} look="drawer" onClose={onClose}>
      <dl class="facts">
        <dt>Status</dt>
        <dd>
          <Badge tone={statusTones[status]}>{statusTitles[status]}</Badge>
        </dd>
        <dt>ID</dt>
        <dd>
          <code>{eventId}</code>
        </dd>
      </dl>
      <div class="row">
        {mayRetry && (
          <Button look="primary" isPending={retry.isPending} onClick={() => void retry.run(undefined)}>
            Send again
          </Button>
        )}
        {seq !== null && (
          <ButtonLink href={feedAddress(program.id, seq, webhook.testMode)}>View in the feed</ButtonLink>
        )}
      </div>
      {attempts.length === 0 ? (
        <p class="soft">No attempt of the last seven days is known.</p>
      ) : (
        <ol class="attempts">
          {attempts.toReversed().map((attempt) => (
            <li key={attempt.at}>
              <p class="row spread">
                <strong>{answerTitle(attempt)}</strong>
                <span class="soft">
                  <Instant at={attempt.at} /> · <Count of={attempt.durationMs} /> ms
                </span>
              </p>
              {attempt.response !== "" && (
                <pre>
                  <bdi>{attempt.response}</bdi>
                </pre>
              )}
            </li>
          ))}
        </ol>
      )}
    </Dialog>
  );
}
