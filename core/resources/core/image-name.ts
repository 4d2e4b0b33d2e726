const domain =
  '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?'
const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const reference = new RegExp(
  `^(?:${domain}/)?${component}(?:/${component})*(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?<digest>@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
)
const longest = 4096

/** The tag of an image reference (distribution/reference): `latest` without tag and digest, empty when malformed. */
function tagOf(image: string): string {
  const groups = image.length > longest ? undefined : reference.exec(image)?.groups
  if (groups === undefined || /^[a-f0-9]{64}$/.test(image)) return ''
  return groups['tag'] ?? (groups['digest'] === undefined ? 'latest' : '')
}

/** Default pull policy: `Always` for the tag `latest`, which may move. */
export const pullPolicyFor = (image = '') => (tagOf(image) === 'latest' ? 'Always' : 'IfNotPresent')
