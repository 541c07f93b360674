import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { DownloadIcon } from "../../components/icons.tsx";
import { lazy } from "../../components/lazy.tsx";
import { saveFile } from "../../save-file.ts";
import { useProgram } from "../../session.tsx";
import type { ErasePersonProps } from "../settings/privacy/erase-person.tsx";
import { exportPerson, type Person } from "../settings/privacy/queries.ts";

const ErasePerson = lazy<ErasePersonProps>(() => import("../settings/privacy/erase-person.tsx"), null);

export function PersonActions({ person }: { readonly person: Person }): JSX.Element {
  const { program } = useProgram();
  const [isErasing, setIsErasing] = useState(false);
  const download = useAction(() => exportPerson(program, person), { done: "Exported.", onDone: saveFile });
  return (
    <>
      <Button label="Export the customer's data" isPending={download.isPending} onClick={() => download.run(undefined)}>
        <DownloadIcon /> Export
      </Button>
      <Button look="danger" onClick={() => setIsErasing(true)}>
        Erase…
      </Button>
      {isErasing && <ErasePerson person={person} onClose={() => setIsErasing(false)} />}
    </>
  );
}
