import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { take } from "../../../api/client.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form } from "../../../components/form.tsx";
import { type AboutWebhook, useWebhookForm, webhookApi } from "./queries.ts";
import { describeRange, missedBy } from "./words.ts";

export function EnableWebhook({ of, onClose }: AboutWebhook): JSX.Element {
  // The events missed so far, remembered because enabling the webhook advances it to the newest event.
  const [missed] = useState(() => (of.provedAt === null ? undefined : missedBy(of)));
  const enable = useWebhookForm(
    of,
    async (param, { replays }) => {
      await take(webhookApi.$patch({ param, json: { status: "active" } }));
      if (missed && replays !== undefined) await take(webhookApi.replay.$post({ param, json: missed }));
    },
    { done: "Enabled.", onDone: onClose },
  );
  return (
    <Dialog title="Enable this webhook?" onClose={onClose}>
      <p class="soft">It gets events from now on, and those that were waiting when it was disabled.</p>
      <Form action={enable} submit="Enable webhook" onCancel={onClose}>
        {missed && (
          <label class="check-line">
            <input type="checkbox" name="replays" defaultChecked />
            Also send what it missed: {describeRange(missed)}
          </label>
        )}
      </Form>
    </Dialog>
  );
}
