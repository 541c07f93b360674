import type { JSX } from "preact";
import { maxReplayed } from "#domain/webhooks.ts";
import { take } from "../../../api/client.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, TextField } from "../../../components/form.tsx";
import { formatCount } from "../../../format.ts";
import { parseWhole } from "../../../forms/parse-numbers.ts";
import { type AboutWebhook, useWebhookForm, webhookApi } from "./queries.ts";
import { missedBy } from "./words.ts";

export function ReplayEvents({ of, onClose }: AboutWebhook): JSX.Element {
  const { fromSeq, toSeq } = missedBy(of) ?? { fromSeq: of.newestSeq, toSeq: of.newestSeq };
  const replay = useWebhookForm(
    of,
    async (param, values) => {
      const json = {
        fromSeq: parseWhole(values.fromSeq ?? "", "fromSeq"),
        toSeq: parseWhole(values.toSeq ?? "", "toSeq"),
      };
      return take(webhookApi.replay.$post({ param, json }));
    },
    { done: "The events are sent again.", onDone: onClose },
  );
  return (
    <Dialog title="Replay events" onClose={onClose}>
      <p class="soft">
        Sends this webhook's events in the feed again. They keep their IDs, so your server can recognize those that it
        already has. The newest event is number {formatCount(of.newestSeq)}.
      </p>
      <Form action={replay} submit="Replay events" onCancel={onClose}>
        <div class="columns">
          <TextField name="fromSeq" label="First number" inputMode="numeric" value={String(fromSeq)} />
          <TextField
            name="toSeq"
            label="Last number"
            inputMode="numeric"
            value={String(toSeq)}
            hint={`At most ${formatCount(maxReplayed)} events at a time.`}
          />
        </div>
      </Form>
    </Dialog>
  );
}
