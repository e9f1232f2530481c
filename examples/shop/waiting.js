// The page of an order that is under way shows itself anew once the order has an outcome.
setInterval(async () => {
  const answer = await fetch(location.href)
  if (answer.ok && !(await answer.text()).includes("waiting.js")) location.reload()
}, 2_000)
