import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Card } from "../../../components/card.tsx";
import { Code } from "../../../components/copy.tsx";
import { SelectField, TextField } from "../../../components/form.tsx";
import { LinkCode } from "./link-code.tsx";
import { linkTo, subParameter } from "./page-link.ts";
import type { WorkingLink } from "./queries.ts";

interface BuilderProps {
  readonly links: readonly WorkingLink[];
  readonly websiteUrl: string | null;
}

export function Builder({ links, websiteUrl }: BuilderProps): JSX.Element | null {
  const [first] = links;
  const [code, setCode] = useState(first?.code);
  const [page, setPage] = useState("");
  const [sub, setSub] = useState("");
  const chosen = links.find((each) => each.code === code) ?? first;
  if (chosen === undefined) return null;
  const { link, fault } = linkTo({ own: chosen.link, websiteUrl, page, sub: sub.trim() });
  return (
    <Card title="Link to any page" lead="Link to the page that you write about. It must be on the program's site.">
      <div class="form">
        <TextField
          name="page"
          label="Page"
          type="url"
          isOptional
          hint="Paste the address of a page. If empty, visitors go to your link's usual page."
          onInput={setPage}
        />
        {links.length > 1 && (
          <SelectField
            name="code"
            label="Code"
            options={links.map((each) => [each.code, each.code] as const)}
            value={chosen.code}
            onInput={setCode}
          />
        )}
        <TextField
          name="sub"
          label="Sub-ID"
          isOptional
          hint={
            <>
              A word of your own, such as “newsletter”, to tell your channels apart. It is added as{" "}
              <code>{subParameter}</code>, and your commissions show it.
            </>
          }
          onInput={setSub}
        />
      </div>
      <div aria-live="polite" class="stack">
        {link === undefined ? <p class="fault">{fault.message}</p> : <Code text={link} what="link" />}
      </div>
      {link !== undefined && (
        <div class="row">
          <LinkCode link={link} title="QR code" />
        </div>
      )}
    </Card>
  );
}
