import "../../../styles/row-menus.css";
import "./keys.css";
import type { FunctionComponent, JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../../components/button.tsx";
import { Card } from "../../../components/card.tsx";
import { Code } from "../../../components/copy.tsx";
import { GuideLink } from "../../../components/guide-link.tsx";
import { Empty } from "../../../components/states.tsx";
import type { Key } from "../../../key-grants.ts";
import { useProgram } from "../../../session.tsx";
import { CreateKey } from "./create-key.tsx";
import { EditKey } from "./edit-key.tsx";
import { EndKey } from "./end-key.tsx";
import { type AboutKey, isLive } from "./key.ts";
import { type KeyChoice, KeyTable } from "./key-table.tsx";
import { RetiredKeys } from "./retired-keys.tsx";
import { RotateKey } from "./rotate-key.tsx";

const dialogs: Readonly<Record<KeyChoice, FunctionComponent<AboutKey>>> = {
  edit: EditKey,
  rotate: RotateKey,
  end: EndKey,
};

export function Keys(): JSX.Element {
  const { program, mayChange } = useProgram();
  const [isCreating, setIsCreating] = useState(false);
  const [chosen, setChosen] = useState<{ readonly choice: KeyChoice; readonly of: Key }>();
  const { apiKeys = [] } = program;
  const live = apiKeys.filter(isLive);
  const Chosen = chosen && dialogs[chosen.choice];
  return (
    <div class="settings wide">
      <Card
        title="API keys"
        lead="Your servers send an API key with every call, in the header Authorization: Bearer <key>."
        actions={
          mayChange("owner") && (
            <Button look="primary" onClick={() => setIsCreating(true)}>
              Create key…
            </Button>
          )
        }
      >
        {live.length > 0 ? (
          <KeyTable keys={live} onChoose={(choice, of) => setChosen({ choice, of })} />
        ) : (
          <Empty title="No active keys">Your servers can't call Tributary until you create one.</Empty>
        )}
        <RetiredKeys keys={apiKeys.filter((key) => !isLive(key))} />
      </Card>
      {mayChange("owner") && (
        <Card title="Rotate without downtime">
          <ol class="steps">
            <li>Rotate the key here. The current key keeps working for 24 hours.</li>
            <li>Replace the key in your servers' secrets, and restart them.</li>
            <li>
              Until the old key expires, replies to calls with it contain a warning. You're done when your logs no
              longer show it.
            </li>
          </ol>
        </Card>
      )}
      <Card
        title="Assistants"
        lead="An assistant reads this program by MCP, with its own key. With the scopes Read and Manage partners, it can also propose changes, but only you can make them, through a link."
      >
        <Code text={`${location.origin}/mcp`} what="Address for assistants" />
        <GuideLink to="assistants" about="connecting an assistant" />
      </Card>
      {isCreating && <CreateKey onClose={() => setIsCreating(false)} />}
      {Chosen && <Chosen of={chosen.of} onClose={() => setChosen(undefined)} />}
    </div>
  );
}
