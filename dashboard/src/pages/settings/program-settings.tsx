import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useUpdateProgram } from "../../api/update-program.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, SelectField, TextField } from "../../components/form.tsx";
import { withScheme } from "../../forms/with-scheme.ts";
import { nameInText } from "../../named-by-code.ts";
import { currencyOptions, timezoneOptions } from "../../select-options.ts";
import { type Program, useProgram } from "../../session.tsx";
import { useDraft } from "../../use-draft.ts";
import { ReadOnlyFacts } from "./read-only-facts.tsx";

export function ProgramSettings(): JSX.Element {
  const { program, isArchived, may, mayChange } = useProgram();
  return (
    <div class="settings">
      <Card title="Program">
        {mayChange("admin") ? (
          <Particulars />
        ) : (
          <ReadOnlyFacts
            facts={[
              ["Name", program.name],
              ["Website", program.websiteUrl ?? "None yet"],
              ["Currency", program.currency],
              ["Time zone", program.timezone],
              ["Revenue in partners' pages", revenueOf(program)],
            ]}
          />
        )}
      </Card>
      {!isArchived && <Status />}
      {!isArchived && may("owner") && <Archive />}
    </div>
  );
}

const revenue = [
  ["false", "Hidden"],
  ["true", "Shown"],
] as const;

const revenueOf = ({ partnersSeeRevenue }: Program): string | undefined =>
  revenue.find(([value]) => value === String(partnersSeeRevenue))?.[1];

function Particulars(): JSX.Element {
  const { program } = useProgram();
  const { name, websiteUrl, currency, timezone, partnersSeeRevenue } = program;
  const draft = useDraft(`program ${program.id} particulars`, {
    name,
    websiteUrl: websiteUrl ?? "",
    currency,
    timezone,
    partnersSeeRevenue: String(partnersSeeRevenue),
  });
  const read = () => {
    const { partnersSeeRevenue: isShown, websiteUrl: site, ...changes } = draft.changes;
    return {
      ...changes,
      websiteUrl: withScheme(site?.trim()),
      partnersSeeRevenue: isShown === undefined ? undefined : isShown === "true",
    };
  };
  const save = useUpdateProgram(read, { failsIn: "form", done: "Saved.", onDone: draft.markSaved });
  return (
    <Form action={save} submit="Save" draft={draft}>
      <div class="columns">
        <TextField name="name" label="Name" />
        <TextField
          name="websiteUrl"
          label="Website"
          inputMode="url"
          hint="Where your partners' links lead."
          isOptional
        />
        <SelectField
          name="currency"
          label="Currency"
          options={currencyOptions()}
          hint="Used when a sale has no currency, and in reports. Amounts are never converted."
        />
        <SelectField
          name="timezone"
          label="Time zone"
          options={timezoneOptions(timezone)}
          hint="Sets where days begin and end in your reports. Changes apply to new events."
        />
        <SelectField
          name="partnersSeeRevenue"
          label="Revenue in partners' pages"
          options={revenue}
          hint="If shown, partners see their revenue and refunds. Orders and customers stay hidden."
        />
      </div>
    </Form>
  );
}

function Status(): JSX.Element {
  const { program, may } = useProgram();
  const [isAsking, setIsAsking] = useState(false);
  const isActive = program.status === "active";
  const set = useUpdateProgram((status: "active" | "paused") => ({ status }), {
    failsIn: "toast",
    done: isActive ? "The program is paused." : "The program is active.",
    onDone: () => setIsAsking(false),
  });
  return (
    <Card title="Status" actions={isActive ? <Badge tone="good">Active</Badge> : <Badge tone="warn">Paused</Badge>}>
      <p class="soft">
        {isActive
          ? "Clicks are counted, and sales earn commissions."
          : "Clicks aren't counted, and sales earn nothing. Commissions already earned stay."}
      </p>
      {may("admin") && (
        <div class="row">
          {isActive ? (
            <Button look="danger" onClick={() => setIsAsking(true)}>
              Pause program
            </Button>
          ) : (
            <Button look="primary" isPending={set.isPending} onClick={() => set.run("active")}>
              Resume program
            </Button>
          )}
        </div>
      )}
      {isAsking && (
        <Dialog title="Pause the program?" onClose={() => setIsAsking(false)}>
          <p class="soft">
            Clicks on partners' links won't be recorded, and new sales will earn nothing. You can resume the program at
            any time.
          </p>
          <div class="row">
            <Button look="danger" isPending={set.isPending} onClick={() => set.run("paused")}>
              Pause program
            </Button>
            <Button onClick={() => setIsAsking(false)}>Cancel</Button>
          </div>
        </Dialog>
      )}
    </Card>
  );
}

function Archive(): JSX.Element {
  const { program } = useProgram();
  const [isAsking, setIsAsking] = useState(false);
  const archive = useUpdateProgram(() => ({ status: "archived" as const }), {
    failsIn: "toast",
    done: "The program is archived.",
    onDone: () => setIsAsking(false),
  });
  return (
    <Card title="Archive" lead="For a program you no longer run. Nothing is deleted, and you can restore it.">
      <div class="row">
        <Button look="danger" onClick={() => setIsAsking(true)}>
          Archive program
        </Button>
      </div>
      {isAsking && (
        <Dialog title={`Archive ${nameInText(program.name)}?`} onClose={() => setIsAsking(false)}>
          <ul class="consequences soft">
            <li>Its API keys stop working immediately. Calls from your servers are refused.</li>
            <li>Its links stop counting, and no sale or refund is recorded.</li>
            <li>It is hidden from lists, and its settings can't be changed.</li>
            <li>You can still approve commissions and pay partners.</li>
            <li>Nothing is deleted. An owner can restore it at any time.</li>
          </ul>
          <div class="row">
            <Button look="danger" isPending={archive.isPending} onClick={() => archive.run(undefined)}>
              Archive program
            </Button>
            <Button onClick={() => setIsAsking(false)}>Cancel</Button>
          </div>
        </Dialog>
      )}
    </Card>
  );
}
