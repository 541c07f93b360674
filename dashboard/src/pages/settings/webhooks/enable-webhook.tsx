import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, type Values } from "../../../components/form.tsx";
import { useProgram } from "../../../session.tsx";
import { type AboutWebhook, paramOfWebhook, webhookQueryKeys } from "./queries.ts";
import { describeRange, missedBy } from "./words.ts";

export function EnableWebhook({ of, onClose }: AboutWebhook): JSX.Element {
  const { program } = useProgram();
  // As it is before it is enabled, which moves on to the newest event.
  const [missed] = useState(() => missedBy(of));
  const enable = useAction(
    async ({ replays }: Values) => {
      const param = paramOfWebhook(program, of);
      const one = api.programs[":programId"].webhooks[":webhookId"];
      await take(one.$patch({ param, json: { status: "active" } }));
      if (missed && replays !== undefined) await take(one.replay.$post({ param, json: missed }));
    },
    { done: "Enabled.", failsIn: "form", refreshes: webhookQueryKeys(program), onDone: onClose },
  );
  return (
    <Dialog title="Enable this webhook?" onClose={onClose}>
      <p class="soft">It gets what happens from now on, and what was waiting when it was disabled.</p>
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
