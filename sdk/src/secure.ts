/** True if no one can read data on its way to this address, because the address is https or on this machine. */
export const isSecure = ({ origin }: URL): boolean =>
  /^https:|\/\/((.+\.)?localhost|127[.\d]+|\[::1])(:\d+)?$/.test(origin);
