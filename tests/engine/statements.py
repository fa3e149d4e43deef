"""Fifty memories of one person, and messages that none of them answers."""

STATEMENTS = """\
I prefer tabs over spaces
My dog is called Rex
I work as a nurse in Leeds
I am allergic to peanuts
My favourite colour is green
I live in Lisbon with my wife Ana
I drink my coffee black
I play the cello on Sundays
My daughter starts school in September
I am learning Portuguese
I drive an old Volvo
I use Postgres for the billing project
I always commit before pushing
I hate long meetings
My birthday is on 3 March
I run ten kilometres every morning
I am vegetarian
My brother Tom lives in Canada
I support Liverpool
I prefer trains to planes
My laptop is a ThinkPad
I take vitamin D in winter
I read science fiction before sleeping
My manager is called Priya
We moved house in 2021
I keep bees in the garden
I use dark mode everywhere
My phone is a Pixel 7
I am afraid of spiders
I bake bread at the weekend
My doctor told me to avoid salt
I collect vintage stamps
I vote in Germany
My mother speaks Hungarian
I want to visit Japan next spring
I decided to rent rather than buy
Our team meets on Tuesdays
I write unit tests first
I cannot stand cilantro
My cat Luna is fourteen years old
I studied physics in Vienna
I swim at the lake in summer
I use Neovim as my editor
My password manager is Bitwarden
I prefer answers in bullet points
I am saving for a sailing boat
My grandfather was a carpenter
I watch films with subtitles
I owe Marta forty euros
I go to bed at ten
""".splitlines()

SMALL_TALK = (
    "hello", "Hi!", "hey there", "thanks!", "Thank you so much", "👍", "ok", "okay, great", "good morning", "how are you?",
    "What's up?", "lol", "bye", "yes please", "🎉🎉", "Nice to meet you", "see you tomorrow", "谢谢", "こんにちは", "안녕하세요",
    "¡Hola!", "merci beaucoup", "Danke schön", "...", "?", "",
)  # fmt: skip

UNRELATED = (
    "How do I write a for loop in Python?",
    "Translate 'the weather is lovely' into French.",
    "What is the capital of Mongolia?",
    "Explain quantum entanglement simply.",
    "Write a haiku about autumn leaves.",
    "Why does my CSS grid overflow the viewport?",
    "Convert 15 miles to kilometers.",
    "Who painted the Mona Lisa?",
    "Give me a regex that matches email addresses.",
    "What is the difference between TCP and UDP?",
    "Summarise the plot of Hamlet.",
    "How many bytes are in a kilobyte?",
)
