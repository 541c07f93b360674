import type { JSX } from "preact";
import { isSampleProgram } from "#domain/sample-program.ts";
import { useUpdateProgram } from "../api/update-program.ts";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { useProgram } from "../session.tsx";

export function SampleBanner(): JSX.Element | null {
  const { program, isArchived, may } = useProgram();
  if (isArchived || !isSampleProgram(program)) return null;
  return (
    <Notice look="plain">
      <div class="program-banner">
        <p>
          <Badge tone="accent">Sample data</Badge> The partners, customers and sales of this program are made up.
        </p>
        {may("owner") && <Archive />}
      </div>
    </Notice>
  );
}

/** Archives the sample program without a question: it holds nothing real, and an owner can restore it. */
function Archive(): JSX.Element {
  const { program } = useProgram();
  const restore = useUpdateProgram(() => ({ status: program.status }), {
    failsIn: "toast",
    done: "The program was restored.",
    onDone: () => {},
  });
  const archive = useUpdateProgram(() => ({ status: "archived" as const }), {
    failsIn: "toast",
    done: "The sample program is archived.",
    onDone: () => {},
    undo: () => void restore.run(undefined),
  });
  return (
    <Button isPending={archive.isPending} onClick={() => archive.run(undefined)}>
      Archive sample program
    </Button>
  );
}
