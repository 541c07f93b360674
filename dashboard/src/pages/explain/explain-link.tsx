import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext } from "preact/hooks";
import { type ExplainQuery, explainAddress } from "../../explain-address.ts";
import { useProgram } from "../../session.tsx";

/** "true" if the page explains the test book, undefined if the live book. Links on the page lead to the same book. */
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
