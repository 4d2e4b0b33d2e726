const domain =
  '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?'
const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const reference = new RegExp(
  `^(?:${domain}/)?${component}(?:/${component})*(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?<digest>@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
)
const longest = 4096

/** The tag that an image reference means (distribution/reference): `latest` when it names neither tag nor digest, nothing when it is malformed. */
function tagOf(image: string): string {
  const groups = image.length > longest ? undefined : reference.exec(image)?.groups
  if (groups === undefined || /^[a-f0-9]{64}$/.test(image)) return ''
  return groups['tag'] ?? (groups['digest'] === undefined ? 'latest' : '')
}

/** Pull policy of containers that name none: the tag `latest` may move, others may not. */
export const pullPolicyFor = (image = '') => (tagOf(image) === 'latest' ? 'Always' : 'IfNotPresent')
