import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../../../api/use-action.ts";
import { Button } from "../../../components/button.tsx";
import { Card } from "../../../components/card.tsx";
import { Form, filled, SelectField, TextField, type Values } from "../../../components/form.tsx";
import { GuideLink } from "../../../components/guide-link.tsx";
import { saveFile } from "../../../save-file.ts";
import { useProgram } from "../../../session.tsx";
import { useFilters } from "../../../url.ts";
import { AfterNotFound } from "./after-not-found.tsx";
import ErasePerson from "./erase-person.tsx";
import { exportPerson, type Person } from "./queries.ts";
import { ErasureReceipt } from "./receipt.tsx";

export default function Privacy(): JSX.Element {
  const [{ receipt }] = useFilters();
  return (
    <div class="settings">
      {receipt && <ErasureReceipt key={receipt} id={receipt} />}
      <FindCustomer />
      <FindReceipt />
    </div>
  );
}

const ways = [
  ["customerKey", "Customer key"],
  ["email", "Email address"],
  ["clickId", "Click ID"],
] as const;
type Way = (typeof ways)[number][0];

const hints: Readonly<Record<Way, string>> = {
  customerKey: "As your server sends it.",
  email: "Finds everyone with this address, or with it as their key.",
  clickId: "Finds the customer who was reported with this click.",
};

function personBy(way: Way, text: string): Person {
  if (way === "email") return { email: text };
  return way === "clickId" ? { clickId: text } : { customerKey: text };
}

function FindCustomer(): JSX.Element {
  const { program } = useProgram();
  const [way, setWay] = useState<Way>("customerKey");
  const [text, setText] = useState("");
  const [erasing, setErasing] = useState<Person>();
  const download = useAction((values: Values) => exportPerson(program, personBy(way, values[way]?.trim() ?? "")), {
    failsIn: "form",
    done: "Exported.",
    onDone: saveFile,
  });
  const named = filled(text);
  const label = ways.find(([value]) => value === way)?.[1] ?? "";
  return (
    <Card
      title="A customer's data"
      lead={
        <>
          When a customer asks what you know about them, or asks you to delete it.{" "}
          <GuideLink to="privacy" about="answering a customer" />
        </>
      }
    >
      <Form
        action={download}
        submit="Export data"
        beside={
          <Button
            look="danger"
            isDisabled={named === undefined}
            onClick={() => named !== undefined && setErasing(personBy(way, named))}
          >
            Erase…
          </Button>
        }
      >
        <div class="columns">
          <SelectField
            name="way"
            label="Find by"
            options={ways}
            value={way}
            onInput={(chosen) => setWay(ways.find(([value]) => value === chosen)?.[0] ?? "customerKey")}
          />
          <TextField
            key={way}
            name={way}
            label={label}
            type={way === "email" ? "email" : "text"}
            hint={hints[way]}
            value={text}
            onInput={setText}
          />
        </div>
      </Form>
      <AfterNotFound failure={download.failure} />
      {erasing && <ErasePerson person={erasing} onClose={() => setErasing(undefined)} />}
    </Card>
  );
}

function FindReceipt(): JSX.Element {
  const [{ receipt }, setFilters] = useFilters();
  const show = useAction(async ({ receipt: id }: Values) => setFilters({ receipt: filled(id) }), { failsIn: "form" });
  return (
    <Card title="Receipt of an erasure" lead="Shows when a customer was erased, and that no amount has changed.">
      <Form action={show} submit="Show receipt">
        <TextField name="receipt" label="Receipt ID" key={receipt} value={receipt} />
      </Form>
    </Card>
  );
}
