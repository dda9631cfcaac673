const told = JSON.parse(document.getElementById('told').textContent);
async function cast() {
  const packed = Uint8Array.from(atob(document.getElementById('cast').textContent), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}
const from = Number(/^#t=([0-9.]+)$/.exec(location.hash)?.[1] ?? -1);
const player = AsciinemaPlayer.create({data: cast}, document.getElementById('player'), {
  fit: 'width', preload: true, poster: 'npt:0.5', ...(from < 0 ? {} : {startAt: from, autoPlay: true}),
  terminalFontFamily: "'JetBrains Mono','Cascadia Mono','DejaVu Sans Mono','Menlo',monospace"});
const caption = document.getElementById('caption'), fast = document.getElementById('fast');
const buttons = [...document.querySelectorAll('nav button')];
for (const button of buttons)
  button.onclick = async () => {
    history.replaceState(null, '', '#t=' + button.dataset.t);
    await player.seek(Number(button.dataset.t));
    player.play();
  };
// The player hears keys only where it has the focus: what nobody else wants is its.
const keys = [' ', 'ArrowLeft', 'ArrowRight', '[', ']', 'f', ',', '.'];
document.addEventListener('keydown', event => {
  const stage = document.querySelector('#player .ap-wrapper');
  const bare = !(event.ctrlKey || event.metaKey || event.altKey);
  const ours = bare && (keys.includes(event.key) || /^[0-9]$/.test(event.key));
  if (!ours || !stage || stage.contains(event.target)) return;
  if (event.key === ' ' && event.target.closest('button, summary')) return;
  event.preventDefault();
  stage.dispatchEvent(new KeyboardEvent('keydown', {key: event.key, bubbles: true}));
});
// A class is walked from moment to moment, as on a screen; a recording is played, and sought in.
const ways = {ArrowRight: t => told.stops.find(one => one > t + 0.05), Home: () => told.stops[0],
  ArrowLeft: t => told.stops.findLast(one => one < t - 0.05), End: () => told.stops.at(-1)};
document.addEventListener('keydown', async event => {
  if (!told.stops.length || !ways[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const to = ways[event.key](await player.getCurrentTime());
  if (to === undefined) return;
  document.getElementById('player').classList.add('stepped');
  await player.pause();
  await player.seek(to);
}, true);
function at(list, t) { return list.findLast(one => one[0] <= t && t < one[1]); }
setInterval(async () => {
  const t = await player.getCurrentTime();
  const words = at(told.captions, t)?.[2] ?? '';
  if (caption.textContent !== words) caption.textContent = words;
  const quick = at(told.faster, t);
  fast.classList.toggle('on', Boolean(quick));
  if (quick) fast.textContent = '\u25b8\u25b8 \u00d7' + quick[2];
  const here = buttons.findLast(button => Number(button.dataset.t) <= t + 0.05);
  for (const button of buttons) button.setAttribute('aria-current', button === here);
}, 150);
