import type { JSX } from "preact";
import { maxReplayed } from "#domain/webhooks.ts";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, TextField, type Values } from "../../../components/form.tsx";
import { formatCount } from "../../../format.ts";
import { parseWhole } from "../../../forms/parse-numbers.ts";
import { useProgram } from "../../../session.tsx";
import { type AboutWebhook, paramOfWebhook, webhookQueryKeys } from "./queries.ts";
import { missedBy } from "./words.ts";

export function ReplayEvents({ of, onClose }: AboutWebhook): JSX.Element {
  const { program } = useProgram();
  const { fromSeq, toSeq } = missedBy(of) ?? { fromSeq: of.newestSeq, toSeq: of.newestSeq };
  const replay = useAction(
    async (values: Values) => {
      const json = {
        fromSeq: parseWhole(values.fromSeq ?? "", "fromSeq"),
        toSeq: parseWhole(values.toSeq ?? "", "toSeq"),
      };
      const param = paramOfWebhook(program, of);
      return take(api.programs[":programId"].webhooks[":webhookId"].replay.$post({ param, json }));
    },
    {
      done: "The events are sent again.",
      failsIn: "form",
      refreshes: webhookQueryKeys(program),
      onDone: onClose,
    },
  );
  return (
    <Dialog title="Replay events" onClose={onClose}>
      <p class="soft">
        Sends events again that the feed still has and that this webhook gets. They keep their IDs, by which your server
        recognizes those that it has already. The newest event is number {formatCount(of.newestSeq)}.
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
