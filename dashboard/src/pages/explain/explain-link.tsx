import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext } from "preact/hooks";
import { type ExplainQuery, explainAddress } from "../../explain-address.ts";
import { useProgram } from "../../session.tsx";

/** The book that the page explains, as its links name it. */
export const BookContext = createContext<ExplainQuery["testMode"]>(undefined);

interface ExplainLinkProps {
  readonly to: ExplainQuery;
  readonly children: ComponentChildren;
}

export function ExplainLink({ to, children }: ExplainLinkProps): JSX.Element {
  const { program } = useProgram();
  const testMode = useContext(BookContext);
  return <a href={explainAddress(program.id, { ...to, ...(testMode && { testMode }) })}>{children}</a>;
}
