/** An address may be typed without its scheme, as people write it: `shop.example`. */
export const withScheme = <Text extends string | undefined>(address: Text): Text | `https://${string}` =>
  address === undefined || address === "" || /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address}`;
