import { describe, expect, test } from "vitest";
import { type Line, payee, sort } from "./pay-lines.ts";

describe("the name of an account holder", { tags: "finding" }, () => {
  const faultsOf = (method: "wise" | "bank", holder: string) =>
    sort([payee(method, {}, holder)]).refused.map(({ format, fault }) => `${format} ${fault}`);

  test.each([
    "Zoe",
    "A S Irving",
    "安娜",
    "Very long name of a company that pays nobody twice GmbH & Co. KG",
    "Щерьо Жеков",
    "J. R.",
    "Anna 李",
    "-- --",
  ])("the name of an account holder can't be %s in a Wise file", (holder) => {
    expect(faultsOf("wise", holder)).toEqual(["wise name"]);
  });

  test.each(["Zoë Bär", "Anna S. Irving", "Li Na", "Łukasz Żółć", "Nguyễn Văn An", "Jean-Luc O'Neil", "María de la O"])(
    "the name of an account holder can be %s in a Wise file",
    (holder) => {
      expect(faultsOf("wise", holder)).toEqual([]);
    },
  );

  test.each(["安娜 王", "李 Wang", "محمد علي", "Anna ひかり", "🧑🏽‍💻", "...", "---", "'", "?"])(
    "the name of an account holder can't be %s in a bank file",
    (holder) => {
      expect(faultsOf("bank", holder)).toEqual(["sepa name"]);
    },
  );

  test.each([
    'Zoë Müller_Weiß & Co <KG> "Süd"',
    "Łukasz Żółć",
    "/Slash first//",
    "Щерьо Жеков",
    "Nguyễn Văn An",
    "3M",
    "Oʼneill Ada",
    "Oʻzbek Ada",
  ])("the name of an account holder can be %s in a bank file", (holder) => {
    expect(faultsOf("bank", holder)).toEqual([]);
  });

  test("an account holder's name that is refused is listed with the partner, for up to twenty partners", () => {
    const lines = Array.from({ length: 25 }, (_, i) =>
      payee("wise", { partnerId: (i + 1) as Line["partnerId"], state: i === 3 ? "failed" : "live" }, "Zoe"),
    );
    const [refused] = sort([...lines, payee("wise", { partnerId: 99 as Line["partnerId"] }, "Zoe Bär")]).refused;
    expect(refused).toMatchObject({ lineCount: 24, totalCents: 24 * 123_456 });
    expect(refused?.partners.map(({ partnerId }) => partnerId)).toEqual([
      1,
      2,
      3,
      ...lines.slice(4, 21).map(({ partnerId }) => partnerId),
    ]);
  });
});
